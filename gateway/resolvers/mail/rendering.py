"""From a stored mail to the message that goes out.

The same row gives the same message at every attempt, but for the MIME boundary: date and Message-ID are the row's.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import SMTP, SMTPUTF8, compat32
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from gateway.clock import SAO_PAULO
from gateway.domains import in_ascii
from gateway.models.mail import MailKind
from gateway.resolvers.mail.contents import content_of
from gateway.resolvers.mail.facts import FACTS, Facts, PaymentFacts, facts_of
from gateway.security import Vault
from gateway.settings import Settings

_LONGEST_NAME, _LONGEST_SUBJECT = 80, 150
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Controls, line ends and what turns or hides text: nothing that a name or a subject is made of."""
_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""The controls of Unicode's bidirectional algorithm that turn what follows them."""
_ENCODED_WORD = re.compile(r"=\?(?=.*\?=)", re.DOTALL)
"""The beginning of an encoded word (RFC 2047). Python decodes those in what a header is set to, line ends and all, and
writes them out as they are: a name of plain ASCII would bring headers and a body of its own.
"""
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


@dataclass(frozen=True, slots=True)
class StoredMail:
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


@dataclass(frozen=True, slots=True)
class Rendered:
    """A message and its envelope. Addresses are as the relay gets them: domains in ASCII (IDNA). `content` is the
    message as it goes over the wire.
    """

    sender: str
    recipient: str
    message: EmailMessage
    content: bytes


def render(settings: Settings, vault: Vault, mail: StoredMail) -> Rendered:
    """The message of a mail.

    Raises ValueError where the row can't become a message: an address that is none, a secret that can't be opened.
    """
    facts = _facts(vault, mail)
    sender, recipient = settings.mail_sender, _address(mail.recipient, mail.recipient_name)
    subject = _line(facts.subject, _LONGEST_SUBJECT)
    message = EmailMessage(SMTP if recipient.addr_spec.isascii() else SMTPUTF8)
    message["From"] = _from(sender, facts)
    message["To"] = recipient
    # A mailbox beyond ASCII can be named only in a message that is (RFC 6532).
    if facts.reply_to and (facts.reply_to.rpartition("@")[0].isascii() or not recipient.addr_spec.isascii()):
        message["Reply-To"] = _address(facts.reply_to, facts.sender_name)
    message["Subject"] = subject
    message["Date"] = mail.created_at.astimezone(SAO_PAULO)
    message["Message-ID"] = f"<{mail.dedupe_key.replace(':', '.')}@{sender.domain}>"
    # RFC 3834: no answering machine shall answer a machine.
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message["X-Gateway-Mail"] = mail.kind
    values = _values(facts, subject, sender.display_name)
    message.set_content(_templates.get_template("mail.txt").render(values))
    message.add_alternative(_templates.get_template("mail.html").render(values), subtype="html")
    message["Content-Language"] = "pt-BR"
    return Rendered(sender.addr_spec, recipient.addr_spec, message, _written(message))


def _written(message: EmailMessage) -> bytes:
    """The message as it goes over the wire, if whoever reads it finds the headers that it was given and no other."""
    content = message.as_bytes()
    if BytesHeaderParser(policy=compat32).parsebytes(content).keys() != message.keys():
        raise ValueError("its headers come out as others")
    return content


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
    }


def _from(sender: Address, facts: Facts) -> Address:
    if facts.sender_name is None:
        return sender
    name = _line(f"{facts.sender_name} via {sender.display_name}", _LONGEST_NAME)
    return Address(name, sender.username, sender.domain)


def _address(email: str, name: str | None) -> Address:
    """An address for a header. What was stored was checked at a door; a line end here still can't make a header."""
    username, at, domain = email.rpartition("@")
    hides = _ENCODED_WORD.search(email) or any(unicodedata.category(letter) in _UNSEEN for letter in email)
    if hides or not (username and at and domain):
        raise ValueError("not an address")
    try:
        host = in_ascii(domain)
    except ValueError:
        raise ValueError("not an address: its domain has no form in ASCII") from None
    return Address(_line(name or "", _LONGEST_NAME), username, host)


def _line(text: str, longest: int) -> str:
    """One visible line: no controls, no encoded words, no doubled spaces, cut with an ellipsis."""
    line = " ".join("".join(" " if unicodedata.category(letter) in _UNSEEN else letter for letter in text).split())
    line = _ENCODED_WORD.sub("= ?", line)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
