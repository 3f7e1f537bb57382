"""The one error of the embedded servers."""

from gateway.values.user_error import UserError


class EmbeddedError(UserError):
    """An embedded server can't be had. The message is one line for a developer: what is wrong and what mends it."""


class NotInstalled(EmbeddedError):
    """The program of an embedded server isn't installed."""


class NothingToJoin(UserError):
    """A command has neither settings nor a data dir of `gateway dev`. The message is one line."""
