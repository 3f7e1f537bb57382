"""What all emails have in common: their stored data, and the content that one pair of templates renders.

Each kind of email is a class in `payment_templates`, `webhook_templates` or `account_templates`. All texts are there,
in Brazilian Portuguese; the Jinja2 templates hold none.
"""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from msgspec import Struct
from pydantic import BaseModel, ConfigDict

from gateway.models.emails import EmailKind
from gateway.values.formatting import format_timestamp

BRASILIA = "horário de Brasília"


class Tone(StrEnum):
    """The style of an email. A symbol shows it too, not only a colour."""

    good = "good"
    plain = "plain"
    warning = "warning"


class Line(Struct, frozen=True):
    """A value with its label. `exact`: an identifier or an address, to copy character by character."""

    label: str
    value: str
    small: str = ""
    exact: bool = False


class Content(Struct, frozen=True):
    """The parts of an email, from top to bottom. `preheader`: the text after the subject in an inbox. `about`: the name
    at the top, by default the service's. `why`: why its reader gets it.
    """

    subject: str
    preheader: str
    tone: Tone
    title: str
    lead: tuple[str, ...]
    why: str
    about: str | None = None
    banner: str = ""
    amount: str = ""
    quote: str = ""
    lines: tuple[Line, ...] = ()
    code_label: str = ""
    code: str = ""
    qr_payload: str = ""
    qr_label: str = ""
    button: tuple[str, str] | None = None
    after: tuple[str, ...] = ()


class TemplateData(BaseModel):
    """The data of one email, stored when it is enqueued and rendered when it is sent.

    A new field needs a default, because stored emails don't have it. Amounts are centavos; documents are masked
    already. `secrets` names the fields that are encrypted in the database.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, defer_build=True)

    kind: ClassVar[EmailKind]
    secrets: ClassVar[tuple[str, ...]] = ()

    @property
    def dedupe_key(self) -> str:
        """Of all emails with the same key, one is sent, as long as its row is stored."""
        raise NotImplementedError

    @property
    def sender_name(self) -> str | None:
        """The store that sends it, or None for the service."""
        return None

    @property
    def reply_to(self) -> str | None:
        """The address for replies, if any."""
        return None

    def content(self) -> Content:
        """The content in Portuguese."""
        raise NotImplementedError


def line(label: str, value: str | None, small: str = "", *, exact: bool = False) -> Line | None:
    """A line, or None without a value."""
    return Line(label, value, small, exact) if value else None


def time_line(label: str, value: datetime | None) -> Line | None:
    return Line(label, format_timestamp(value), BRASILIA) if value else None


def present(*lines: Line | None) -> tuple[Line, ...]:
    """The lines that have a value."""
    return tuple(each for each in lines if each is not None)
