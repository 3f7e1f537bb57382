"""Errors that a command reports in one line: known by their class alone, so that a command which fails imports no
other command.
"""


class UserError(Exception):
    """What the operator of the process has to mend. The message is one line; `exit_code` is the process's."""

    exit_code = 2
