"""The one error of the embedded servers."""


class EmbeddedError(Exception):
    """An embedded server can't be had. The message is one line for a developer: what is wrong and what mends it."""
