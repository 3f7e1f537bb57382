"""From a stored mail to the message that goes out.

The same row gives the same message at every attempt, but for the MIME boundary: date and Message-ID are the row's.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from msgspec import Struct

from gateway.integrations.engines import qr
from gateway.models.mail import MailKind
from gateway.resolvers.mail.contents import content_of
from gateway.resolvers.mail.facts import FACTS, Facts, PaymentFacts, facts_of
from gateway.security import Vault
from gateway.settings import Settings
from gateway.values.clock import SAO_PAULO
from gateway.values.idna import in_ascii

QR_CID = "pix@qr"
"""By which the HTML names the picture of its QR code, within the same message (RFC 2392)."""
_LONGEST_NAME, _LONGEST_SUBJECT = 80, 150
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Controls, line ends and what turns or hides text: nothing that a name or a subject is made of."""
_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""The controls of Unicode's bidirectional algorithm that turn what follows them."""
_ENCODED_WORD = re.compile(r"=\?.*\?=")
"""What a reader may take for an encoded word (RFC 2047), though a local part may be made so."""
_WORDS = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
_PRINTED = re.compile(r"[!-~]+(?: [!-~]+)*")
_DOT_ATOM = re.compile(r"[^\s@.\"(),:;<>\[\]\\]+(?:\.[^\s@.\"(),:;<>\[\]\\]+)*")
_LINE_END = re.compile(r"[\r\n\x00]")
_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    # What a name may still turn around is the rest of our sentence, an amount in it.
    finalize=lambda value: value.translate(_TURNING) if isinstance(value, str) else value,
)


class StoredMail(Struct, frozen=True):
    """What rendering needs of a row. `facts` are as stored, secrets sealed; `end_to_end_id` is one that came after the
    facts of a payment were frozen.
    """

    id: str
    kind: str
    recipient: str
    recipient_name: str | None
    facts: Mapping[str, Any]
    dedupe_key: str
    created_at: datetime
    end_to_end_id: str | None = None


class Rendered(Struct, frozen=True):
    """A message and its envelope. Addresses are as the relay gets them: domains in ASCII (IDNA). `content` is the
    message as it goes over the wire; `headers`, `text` and `html` are what is read of it.
    """

    sender: str
    recipient: str
    headers: Mapping[str, str]
    text: str
    html: str
    content: bytes
    qr_payload: str = ""

    @property
    def standalone_html(self) -> str:
        """The HTML by itself, with the picture of the QR code in it: no program but a mail reader has the message."""
        return self.html.replace(f"cid:{QR_CID}", qr.data_url(self.qr_payload)) if self.qr_payload else self.html


class _Mailbox(Struct, frozen=True):
    """Somebody's name and address."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>" if self.name else self.address

    def written(self, header: str) -> str:
        """As it stands in a header. A name that is more than words is an encoded one, whatever it looks like."""
        if not self.name:
            return self.address
        name = self.name if _WORDS.fullmatch(self.name) else _encoded(self.name, header)
        return f"{name} <{self.address}>"


def render(settings: Settings, vault: Vault, mail: StoredMail) -> Rendered:
    """The message of a mail.

    Raises ValueError where the row can't become a message: an address that is none, a secret that can't be opened.
    """
    facts = _facts(vault, mail)
    service, sender = settings.mail_sender.display_name, settings.mail_sender.addr_spec
    recipient = _mailbox(mail.recipient, mail.recipient_name)
    mailboxes = {"From": _Mailbox(_from(service, facts), sender), "To": recipient}
    # A mailbox beyond ASCII can be named only in a message that is (RFC 6532).
    if facts.reply_to and (facts.reply_to.rpartition("@")[0].isascii() or not recipient.address.isascii()):
        mailboxes["Reply-To"] = _mailbox(facts.reply_to, facts.sender_name)
    subject = _line(facts.subject, _LONGEST_SUBJECT)
    plain = {
        "Date": format_datetime(mail.created_at.astimezone(SAO_PAULO)),
        "Message-ID": f"<{mail.dedupe_key.replace(':', '.')}@{settings.mail_sender.domain}>",
        # RFC 3834: no answering machine shall answer a machine.
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "X-Gateway-Mail": mail.kind,
        "Content-Language": "pt-BR",
    }
    values = _values(facts, subject, service)
    text, html = (_templates.get_template(f"mail.{form}").render(values) for form in ("txt", "html"))
    body = EmailMessage(SMTP if recipient.address.isascii() else SMTPUTF8)
    body.set_content(text)
    body.add_alternative(html, subtype="html")
    payload = values["content"].qr_payload
    if payload:
        part = cast("EmailMessage", body.get_payload(1))
        part.add_related(qr.png(payload), "image", "png", cid=f"<{QR_CID}>", filename="pix.png", disposition="inline")
    head = {name: mailbox.written(name) for name, mailbox in mailboxes.items()}
    head |= {"Subject": _subject(subject), **plain}
    shown = {name: str(mailbox) for name, mailbox in mailboxes.items()} | {"Subject": subject, **plain}
    content = b"".join(_field(name, value) for name, value in head.items()) + body.as_bytes()
    return Rendered(sender, recipient.address, shown | dict(body.items()), text, html, content, payload)


def _field(name: str, value: str) -> bytes:
    """A header of ours as it goes over the wire.

    The email package isn't trusted with it: what a header is set to, it reads as if it came from somewhere. It decodes
    encoded words (RFC 2047) with the line ends in them, across the end of a name and into the address; and in folding
    a long name it drops the quotes, so that a name becomes an address.
    """
    if _LINE_END.search(value.replace("\r\n ", " ")):
        raise ValueError(f"{name} would be more than one header")
    return f"{name}: {value}\r\n".encode()


def _subject(subject: str) -> str:
    return subject if _PRINTED.fullmatch(subject) and "=?" not in subject else _encoded(subject, "Subject")


def _encoded(text: str, header: str) -> str:
    return Header(text, "utf-8", header_name=header).encode(linesep="\r\n")


def _facts(vault: Vault, mail: StoredMail) -> Facts:
    secrets = FACTS[MailKind(mail.kind)].secrets
    opened = {name: vault.open(mail.facts[name].encode()) for name in secrets if mail.facts.get(name)}
    facts = facts_of(mail.kind, {**mail.facts, **opened})
    return facts.with_end_to_end_id(mail.end_to_end_id) if isinstance(facts, PaymentFacts) else facts


def _values(facts: Facts, subject: str, service: str) -> dict[str, Any]:
    content = content_of(facts)
    return {
        "content": content,
        "about": content.about or service,
        "service": service,
        "subject": subject,
        "preheader": facts.preheader,
        "qr_cid": QR_CID,
    }


def _from(service: str, facts: Facts) -> str:
    return _line(service if facts.sender_name is None else f"{facts.sender_name} via {service}", _LONGEST_NAME)


def _mailbox(email: str, name: str | None) -> _Mailbox:
    """A mailbox for a header. What was stored was checked at a door, by what was known to it then."""
    username, _, domain = email.rpartition("@")
    hides = _ENCODED_WORD.search(email) or any(unicodedata.category(letter) in _UNSEEN for letter in email)
    if hides or not _DOT_ATOM.fullmatch(username):
        raise ValueError("not an address")
    try:
        host = in_ascii(domain)
    except ValueError:
        raise ValueError("not an address: its domain has no form in ASCII") from None
    return _Mailbox(_line(name or "", _LONGEST_NAME), f"{username}@{host}")


def _line(text: str, longest: int) -> str:
    """One visible line: no controls, no doubled spaces, cut with an ellipsis."""
    line = " ".join("".join(" " if unicodedata.category(letter) in _UNSEEN else letter for letter in text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
