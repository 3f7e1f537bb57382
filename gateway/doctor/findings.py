"""What a check found."""

from enum import StrEnum

from msgspec import Struct


class Mark(StrEnum):
    """How bad it is."""

    good = "good"
    mind = "mind"
    """It works; somebody should know."""
    mend = "mend"
    """It doesn't work, or isn't safe."""


class Finding(Struct, frozen=True):
    """One line of the report. `text` says what is so and, where it isn't good, what to do."""

    mark: Mark
    subject: str
    text: str


def good(subject: str, text: str) -> Finding:
    return Finding(Mark.good, subject, text)


def mind(subject: str, text: str) -> Finding:
    return Finding(Mark.mind, subject, text)


def mend(subject: str, text: str) -> Finding:
    return Finding(Mark.mend, subject, text)
