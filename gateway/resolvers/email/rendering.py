"""Render a stored email as the message to send.

Every attempt renders the same message except for the MIME boundary: date and Message-ID come from the row.
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
from gateway.models.emails import EmailKind
from gateway.resolvers.email.account_templates import (
    Invitation,
    PasswordChanged,
    PasswordReset,
    ProductionApproved,
    ProductionRefused,
    ProductionSuspended,
    TwoFactorChanged,
)
from gateway.resolvers.email.payment_templates import (
    MerchantNotice,
    PayerReceipt,
    PayerRefund,
    PaymentData,
    PaymentRequest,
    RefundRejected,
    WithdrawalRejected,
    WithdrawalRequested,
)
from gateway.resolvers.email.templates import TemplateData
from gateway.resolvers.email.webhook_templates import (
    WebhookDeliveriesExhausted,
    WebhookEndpointDisabled,
    WebhookEndpointFailing,
    WebhookEndpointGone,
)
from gateway.security import Vault
from gateway.settings import Settings
from gateway.values.clock import SAO_PAULO
from gateway.values.idna import to_ascii

TEMPLATES: dict[EmailKind, type[TemplateData]] = {
    template.kind: template
    for template in (
        PayerReceipt,
        PaymentRequest,
        MerchantNotice,
        WebhookEndpointDisabled,
        WebhookEndpointGone,
        WebhookEndpointFailing,
        WebhookDeliveriesExhausted,
        Invitation,
        ProductionApproved,
        ProductionRefused,
        ProductionSuspended,
        WithdrawalRequested,
        WithdrawalRejected,
        PayerRefund,
        RefundRejected,
        PasswordReset,
        PasswordChanged,
        TwoFactorChanged,
    )
}
QR_CID = "pix@qr"
"""The Content-ID of the QR code image in the message (RFC 2392)."""
_MAX_NAME_LENGTH, _MAX_SUBJECT_LENGTH = 80, 150
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of controls, line ends and invisible characters. Names and subjects must not have them."""
_BIDI_CONTROLS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""The controls of Unicode's bidirectional algorithm, which change the direction of the text after them."""
_ENCODED_WORD = re.compile(r"=\?.*\?=")
"""Text that a reader may take for an encoded word (RFC 2047)."""
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
    # A name must not change the direction of the rest of the sentence, which may hold an amount.
    finalize=lambda value: value.translate(_BIDI_CONTROLS) if isinstance(value, str) else value,
)


class StoredEmail(Struct, frozen=True):
    """A row to render. `template_data` has encrypted secrets. `end_to_end_id` came after it was stored."""

    id: str
    kind: str
    recipient: str
    recipient_name: str | None
    template_data: Mapping[str, Any]
    dedupe_key: str
    created_at: datetime
    end_to_end_id: str | None = None


class RenderedEmail(Struct, frozen=True):
    """A message and its envelope. The domains of addresses are in ASCII (IDNA). `content` is the message in bytes;
    `headers`, `text` and `html` are its readable parts.
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
        """The HTML with the QR code as a data: image, for a browser."""
        return self.html.replace(f"cid:{QR_CID}", qr.data_url(self.qr_payload)) if self.qr_payload else self.html


class _Mailbox(Struct, frozen=True):
    """A name and an address."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>" if self.name else self.address

    def encode(self, header: str) -> str:
        """The value of a header. A name with more than words and spaces is always encoded."""
        if not self.name:
            return self.address
        name = self.name if _WORDS.fullmatch(self.name) else _encoded(self.name, header)
        return f"{name} <{self.address}>"


def render(settings: Settings, vault: Vault, email: StoredEmail) -> RenderedEmail:
    """The message of an email. Raises ValueError for an invalid address or a secret that can't be decrypted."""
    data = _decrypt(vault, email)
    content = data.content()
    service, sender = settings.mail_sender.display_name, settings.mail_sender.addr_spec
    recipient = _mailbox(email.recipient, email.recipient_name)
    mailboxes = {"From": _Mailbox(_from(service, data), sender), "To": recipient}
    # Only an international message may have a mailbox beyond ASCII (RFC 6532).
    if data.reply_to and (data.reply_to.rpartition("@")[0].isascii() or not recipient.address.isascii()):
        mailboxes["Reply-To"] = _mailbox(data.reply_to, data.sender_name)
    subject = _line(content.subject, _MAX_SUBJECT_LENGTH)
    plain = {
        "Date": format_datetime(email.created_at.astimezone(SAO_PAULO)),
        "Message-ID": f"<{email.dedupe_key.replace(':', '.')}@{settings.mail_sender.domain}>",
        # RFC 3834: prevents automatic replies.
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "X-Gateway-Mail": email.kind,
        "Content-Language": "pt-BR",
    }
    values = {
        "content": content,
        "about": content.about or service,
        "service": service,
        "subject": subject,
        "preheader": content.preheader,
        "qr_cid": QR_CID,
    }
    text, html = (_templates.get_template(f"email.{form}").render(values) for form in ("txt", "html"))
    body = EmailMessage(SMTP if recipient.address.isascii() else SMTPUTF8)
    body.set_content(text)
    body.add_alternative(html, subtype="html")
    payload = content.qr_payload
    if payload:
        part = cast("EmailMessage", body.get_payload(1))
        part.add_related(qr.png(payload), "image", "png", cid=f"<{QR_CID}>", filename="pix.png", disposition="inline")
    head = {name: mailbox.encode(name) for name, mailbox in mailboxes.items()}
    head |= {"Subject": _subject(subject), **plain}
    readable = {name: str(mailbox) for name, mailbox in mailboxes.items()} | {"Subject": subject, **plain}
    message = b"".join(_field(name, value) for name, value in head.items()) + body.as_bytes()
    return RenderedEmail(sender, recipient.address, readable | dict(body.items()), text, html, message, payload)


def _field(name: str, value: str) -> bytes:
    """A header in bytes.

    The email package parses the value of a header that is set: it decodes encoded words (RFC 2047), with line ends in
    them, and drops the quotes of a long name in folding. So a name could become an address.
    """
    if _LINE_END.search(value.replace("\r\n ", " ")):
        raise ValueError(f"{name} would be more than one header")
    return f"{name}: {value}\r\n".encode()


def _subject(subject: str) -> str:
    return subject if _PRINTED.fullmatch(subject) and "=?" not in subject else _encoded(subject, "Subject")


def _encoded(text: str, header: str) -> str:
    return Header(text, "utf-8", header_name=header).encode(linesep="\r\n")


def parse_template_data(kind: str, stored: Mapping[str, Any]) -> TemplateData:
    """The data of a stored email, with decrypted secrets. Raises pydantic's ValidationError."""
    return TEMPLATES[EmailKind(kind)].model_validate(stored)


def _decrypt(vault: Vault, email: StoredEmail) -> TemplateData:
    stored, secrets = email.template_data, TEMPLATES[EmailKind(email.kind)].secrets
    decrypted = {name: vault.decrypt(stored[name].encode()) for name in secrets if stored.get(name)}
    data = parse_template_data(email.kind, {**stored, **decrypted})
    return data.with_end_to_end_id(email.end_to_end_id) if isinstance(data, PaymentData) else data


def _from(service: str, data: TemplateData) -> str:
    return _line(service if data.sender_name is None else f"{data.sender_name} via {service}", _MAX_NAME_LENGTH)


def _mailbox(email: str, name: str | None) -> _Mailbox:
    """A mailbox for a header. Stored addresses are checked again, because old ones passed older checks."""
    username, _, domain = email.rpartition("@")
    invalid = _ENCODED_WORD.search(email) or any(unicodedata.category(letter) in _INVISIBLE for letter in email)
    if invalid or not _DOT_ATOM.fullmatch(username):
        raise ValueError("not an address")
    try:
        host = to_ascii(domain)
    except ValueError:
        raise ValueError("not an address: its domain has no form in ASCII") from None
    return _Mailbox(_line(name or "", _MAX_NAME_LENGTH), f"{username}@{host}")


def _line(text: str, max_length: int) -> str:
    """One visible line, without controls and double spaces, cut with an ellipsis."""
    line = " ".join("".join(" " if unicodedata.category(letter) in _INVISIBLE else letter for letter in text).split())
    return line if len(line) <= max_length else line[: max_length - 1].rstrip() + "…"
