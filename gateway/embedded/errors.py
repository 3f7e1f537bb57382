"""The one error of the embedded servers."""

from gateway.mendable import Mendable


class EmbeddedError(Mendable):
    """An embedded server can't be had. The message is one line for a developer: what is wrong and what mends it."""


class NotInstalled(EmbeddedError):
    """The program of an embedded server isn't installed."""


class NothingToJoin(Mendable):
    """A command has neither settings nor a data dir of `gateway dev`. The message is one line."""
