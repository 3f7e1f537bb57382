"""Errors that a command reports in one line. A module of its own, so that catching them imports no command."""


class UserError(Exception):
    """An error that the operator has to fix. The message is one line; `exit_code` is the process's."""

    exit_code = 2
