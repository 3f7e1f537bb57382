"""The one error of the embedded servers."""

from gateway.mendable import Mendable


class EmbeddedError(Mendable):
    """An embedded server can't be had. The message is one line for a developer: what is wrong and what mends it."""
