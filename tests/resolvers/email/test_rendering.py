"""Rendered emails, with any names of merchants and payers."""

import re
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import compat32, default
from email.utils import getaddresses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gateway.resolvers.email.account_templates import PasswordChanged, describe_revoked_access
from gateway.resolvers.email.rendering import RenderedEmail, StoredEmail, render
from gateway.resolvers.email.templates import TemplateData
from gateway.resolvers.email.webhook_templates import WebhookDeliveriesExhausted
from gateway.security import Vault
from gateway.settings import Settings
from tests.resolvers.email.fixtures import ACCOUNT, AT, ENDPOINT, STORE, every_kind, gone, invitation, notice, receipt

VAULT = Vault("k" * 40)
SETTINGS = Settings(
    _env_file=None,
    database_url="postgresql://x/y",
    redis_url="redis://x",
    secret_key="k" * 40,
    mail_from="Gateway São Pix <recibos@example.com>",
)
_ADDRESSES = re.compile(
    r"(?:https?:)?//[^\s\"'<>)]+|<(?:img(?! src=\"cid:)|link|script|iframe|video|object)\b|url\(", re.IGNORECASE
)
_ALLOWED = ("https://pague.exemplo.com.br/pay/c/", "https://erp.exemplo.com.br/")


def stored(data: TemplateData, **changes: Any) -> StoredEmail:
    saved = data.model_dump(mode="json")
    saved |= {name: VAULT.encrypt(saved[name]).decode() for name in data.secrets if saved[name]}
    return replace(StoredEmail("1", data.kind, "ana@example.com", "Ana", saved, data.dedupe_key, AT), **changes)


def rendered(data: TemplateData, **changes: Any) -> RenderedEmail:
    return render(SETTINGS, VAULT, stored(data, **changes))


def received(data: TemplateData, **changes: Any) -> EmailMessage:
    """Parse the bytes as an email client does."""
    message = message_from_bytes(rendered(data, **changes).content, policy=default)
    assert message.defects == []
    return message


def texts(message: EmailMessage) -> tuple[str, str]:
    plain, html = (message.get_body((kind,)) for kind in ("plain", "html"))
    assert plain is not None
    assert html is not None
    return plain.get_content(), html.get_content()


@pytest.mark.parametrize("data", every_kind(), ids=lambda data: data.kind)
def test_every_kind_in_both_forms(data: TemplateData) -> None:
    message = received(data)
    plain, html = texts(message)
    assert message["Subject"] == data.content().subject.replace("\xa0", " ")
    assert data.content().preheader.split("&")[0] in html
    assert "<" not in plain
    assert html.count("<table") > 3
    assert 'lang="pt-BR"' in html
    assert "Enviado por Gateway São Pix." in plain
    assert [found for found in _ADDRESSES.findall(html) if not found.startswith(_ALLOWED)] == [], "no remote content"
    content = rendered(data).content
    assert len(content) < 60_000, "Gmail cuts what is larger than 102 KB"
    assert max(len(line) for line in content.split(b"\r\n")) < 998


@pytest.mark.parametrize(
    ("deliveries", "active", "result"),
    [
        (1, True, ("1 aviso não foi entregue", "terminaram as tentativas deste aviso.", "servidor e reenvie o aviso")),
        (1, False, ("tentativas deste aviso.", "reative o endereço e reenvie o aviso pelo")),
        (2, True, ("2 avisos não foram entregues", "tentativas destes avisos.", "servidor e reenvie os avisos")),
    ],
)
def test_one_delivery_is_in_the_singular(deliveries: int, active: bool, result: tuple[str, ...]) -> None:
    data = WebhookDeliveriesExhausted(**ENDPOINT, day=AT.date(), deliveries=deliveries, active=active)
    plain = " ".join(texts(received(data))[0].split())
    assert [phrase for phrase in result if phrase not in plain] == []


_ALL_THREE = (
    "desativamos 2 chaves de API e 1 webhook, e retiramos o acesso ou o convite de 3 pessoas. "
    "Reative o que for seu e convide de novo quem for da sua equipe."
)
_ONE_OF_THE_TEAM = "retiramos o acesso ou o convite de 1 pessoa. Convide de novo quem for da sua equipe."


@pytest.mark.parametrize(
    ("keys", "endpoints", "people", "result"),
    [
        (1, 0, 0, "desativamos 1 chave de API. Reative o que for seu."),
        (0, 2, 0, "desativamos 2 webhooks. Reative o que for seu."),
        (0, 0, 1, _ONE_OF_THE_TEAM),
        (2, 1, 3, _ALL_THREE),
    ],
)
def test_revoked_access_is_a_sentence_in_the_right_number(keys: int, endpoints: int, people: int, result: str) -> None:
    assert describe_revoked_access(keys, endpoints, people).endswith(f"usando a conta. Por segurança, {result}")


def test_the_headers_of_a_receipt() -> None:
    message = received(receipt(), recipient="jose@example.com", recipient_name="José Pagador")
    assert str(message["From"]) == "Loja da Ana via Gateway São Pix <recibos@example.com>"
    assert str(message["To"]) == "José Pagador <jose@example.com>"
    assert str(message["Reply-To"]) == "Loja da Ana <ana@exemplo.com.br>"
    assert message["Subject"] == "Comprovante: R$ 129,90 para Loja da Ana"
    assert message["Date"].datetime == datetime(2026, 11, 21, 17, 32, tzinfo=UTC)
    assert message["Message-ID"] == "<receipt.019aa000-0000-7000-8000-00000000000a@example.com>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Content-Language"] == "pt-BR"
    assert rendered(receipt()).sender == "recibos@example.com"


def test_a_receipt_has_all_payment_details() -> None:
    plain, html = texts(received(receipt()))
    for sentence in (
        "R$\xa0129,90",
        "CNPJ 11.***.***/0001-**",
        "***.982.247-**",
        "21/11/2026 às\xa014:32",
        "horário de Brasília",
        "E12345678202611211732abcdefghijk",
        "0123456789abcdef0123456789abcdef",
        "não é documento fiscal",
        "https://pague.exemplo.com.br/pay/c/",
    ):
        assert sentence in plain
        assert sentence in html


def test_a_test_payment_is_marked_at_the_top() -> None:
    message = received(notice(environment="test"))
    assert message["Subject"].startswith("[TESTE] ")
    assert all("Ambiente de teste: nenhum dinheiro foi movimentado." in text for text in texts(message))


def test_a_later_end_to_end_id_is_in_the_receipt() -> None:
    plain, _ = texts(received(receipt(end_to_end_id=None), end_to_end_id="E-LATE"))
    assert "E-LATE" in plain
    assert "EndToEndId" not in texts(received(receipt(end_to_end_id=None)))[0]


def test_a_secret_is_decrypted_and_an_invalid_one_is_an_error() -> None:
    assert "convite-Zm9vYmFyYmF6cXV4" in texts(received(invitation()))[0]
    with pytest.raises(ValueError, match="GATEWAY_SECRET_KEY"):
        render(SETTINGS, Vault("another key, thirty-two characters"), stored(invitation()))


def linked(data: TemplateData) -> TemplateData:
    return data.model_copy(update={"link": "https://pague.exemplo.com.br/pay/c/convite"})


@pytest.mark.parametrize(
    "data", [each for each in every_kind() if "link" in type(each).model_fields], ids=lambda data: data.kind.value
)
def test_an_email_with_a_link_has_a_button(data: TemplateData) -> None:
    _, html = texts(received(linked(data)))
    assert '<a href="https://pague.exemplo.com.br/pay/c/convite"' in html


INJECTION = "Ana\r\nBcc: todos@example.com\r\n\r\n<script>alert(1)</script>"


@pytest.mark.parametrize(("by_mail", "ended"), [(True, "Todas as sessões"), (False, "As outras sessões")])
def test_a_new_password_email_names_the_ended_sessions(by_mail: bool, ended: str) -> None:
    plain, html = texts(received(PasswordChanged(**ACCOUNT, user_id=STORE, at=AT, by_mail=by_mail)))
    assert f"{ended} foram encerradas." in " ".join(plain.split())
    assert f"{ended} foram encerradas." in " ".join(html.split())


def test_no_name_injects_a_header_or_a_tag() -> None:
    data = receipt(store_name=INJECTION, customer_name=INJECTION, description=INJECTION, store_document=INJECTION)
    message = received(data, recipient_name=INJECTION)
    assert message["Bcc"] is None
    assert {name.lower() for name in message} == {name.lower() for name in received(receipt())}
    _, html = texts(message)
    assert "<script" not in html
    assert "&lt;script&gt;" in html


SMUGGLED = [
    "=?utf-8?q?Ana=0D=0AReply-To:_evil@evil.com=0D=0AX-Evil:_1=0D=0A=0D=0AA_body_of_their_own?=",
    "=?utf-8?b?QW5hDQpYLUV2aWw6IDENCg0KYm9keQ==?=",
    "Ana =?iso-8859-1?Q?=0A=0Abody?= da Silva",
    "=\u200b?utf-8?q?=0D=0AX-Evil:_1?=",
    "==?utf-8?q?=0D=0AX-Evil:_1?=?=",
    "=?utf-8?q?=FF?=",
    "=?utf-8?q?=ED=A0=80?=",
    "=?utf-8?q?=E2=80=AEana?=",
    "=?a?q?x=0aFrom:=20ceo=40banco.example=0a",
    "Banco<ceo@banco.example>," + "a" * 37,
    "Banco Central<pix@bcb.gov.br>,",
    'ana" <ceo@banco.example>, "',
    "ana\\",
    "(",
    "ana,beto;",
    "a@b.example",
    "<",
    ">",
    "=?",
    "?=",
    ":;",
]
"""Encoded words (RFC 2047), complete or partial, and other text that a parser may not read as a name."""


NAMED = (
    "store_name",
    "customer_name",
    "inviter_name",
    "name",
    "requested_by",
    "description",
    "external_reference",
    "reason",
)


def parsed_by_others(data: TemplateData, header: str, **changes: Any) -> list[str]:
    """The addresses of a header, without decoding encoded words."""
    message = message_from_bytes(rendered(data, **changes).content, policy=compat32)
    return [address for _, address in getaddresses([re.sub(r"\r?\n", "", message.get(header, ""))]) if address]


def addresses(message: EmailMessage, header: str) -> list[str]:
    return [address.addr_spec for address in message[header].addresses] if message[header] else []


@pytest.mark.parametrize("name", SMUGGLED)
@pytest.mark.parametrize("data", [receipt(), notice(), gone(), invitation()], ids=lambda data: data.kind)
def test_an_encoded_word_is_taken_literally(data: TemplateData, name: str) -> None:
    named = data.model_copy(update={field: name for field in NAMED if hasattr(data, field)})
    # A partial word may end in an address, which is a valid mailbox name.
    own = "a?=y@example.com"
    replied = named.model_copy(update={"store_email": own}) if hasattr(data, "store_email") else named
    harmless = data.model_copy(update={"store_email": own}) if hasattr(data, "store_email") else data
    message, harmless = received(replied, recipient_name=name, recipient=own), received(harmless, recipient=own)
    assert [key.lower() for key in message] == [key.lower() for key in harmless]
    for header in ("From", "To", "Reply-To"):
        assert addresses(message, header) == addresses(harmless, header)
        raw = parsed_by_others(replied, header, recipient_name=name, recipient=own)
        assert raw == addresses(harmless, header)
    assert not re.search(r"[\r\n\u202e]", "".join(str(value) for value in message.values()))
    assert "From " not in [line[:5] for line in str(message).splitlines()]


@pytest.mark.parametrize("mailbox", ["=?utf-8?q?a=0D=0AX-Evil:_1?=", "=?utf-8?q?b=40evil.com=3E=2C?=", "ana=?x?q?b?="])
def test_no_encoded_word_is_a_mailbox(mailbox: str) -> None:
    with pytest.raises(ValueError, match="address"):
        rendered(gone(), recipient=f"{mailbox}@example.com")


def test_reply_to_is_a_valid_mailbox() -> None:
    """A non-ASCII address only in a message that allows it (RFC 6532)."""
    assert received(receipt(store_email="josé@example.com"))["Reply-To"] is None
    both = rendered(receipt(store_email="josé@example.com"), recipient="joão@example.com")
    assert "Reply-To: Loja da Ana <josé@example.com>".encode() in both.content


WORDS = st.builds(
    "{}=?{}?{}?{}?={}".format,
    st.text(max_size=5),
    st.sampled_from(["utf-8", "us-ascii", "iso-8859-1", "no-charset"]),
    st.sampled_from("qQbB"),
    st.text("=0DAF8E_:- abcQWE+/\r\n\u202e", max_size=60),
    st.text(max_size=5),
)


PIECES = st.lists(
    st.sampled_from([*',;:<>()"\\@[].=?_~ ', "é", "=?", "?=", "=?a?q?x=0a", "<evil@x.com>", "=0A", "x" * 20, "\r\n"]),
    max_size=14,
).map("".join)


@given(
    name=st.text(max_size=200) | WORDS | PIECES,
    where=st.sampled_from(["store_name", "customer_name", "description", "recipient_name", "external_reference"]),
)
def test_any_name_makes_the_same_headers(name: str, where: str) -> None:
    name = name.encode(errors="replace").decode()
    data = notice() if where == "recipient_name" else notice(**{where: name})
    message = received(data, **({"recipient_name": name} if where == "recipient_name" else {}))
    assert [key.lower() for key in message] == [key.lower() for key in received(notice())]
    assert (addresses(message, "From"), addresses(message, "To")) == (["recibos@example.com"], ["ana@example.com"])
    assert len(texts(message)) == 2
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\u202e]", str(message["Subject"]) + str(message["To"]))


def test_bidirectional_controls_don_t_reach_a_header() -> None:
    message = received(receipt(store_name="Loja \u202eana ad\u2066"))
    assert "\u202e" not in str(message["From"])
    assert "\u202e" not in message["Subject"]


@pytest.mark.parametrize("recipient", ["jose", "@example.com", "jose@", "a@b.co\r\nBcc: c@d.co", "a\x00@b.co"])
def test_an_invalid_address_is_an_error(recipient: str) -> None:
    with pytest.raises(ValueError, match="address"):
        rendered(gone(), recipient=recipient)


def test_addresses_beyond_ascii() -> None:
    assert rendered(gone(), recipient="ana@açaí.com.br").recipient == "ana@xn--aa-4iaz.com.br"
    assert rendered(gone(), recipient="ana@straße.de").recipient == "ana@xn--strae-oqa.de", (
        "straße.de, and not strasse.de"
    )
    international = rendered(gone(), recipient="joão@example.com")
    assert international.recipient == "joão@example.com"
    assert "joão@example.com".encode() in international.content


def test_every_attempt_is_the_same_message() -> None:
    first, second = (received(receipt()) for _ in range(2))
    assert [first[name] for name in ("Message-ID", "Date", "Subject", "From", "To")] == [
        second[name] for name in ("Message-ID", "Date", "Subject", "From", "To")
    ]
    assert texts(first) == texts(second)


@pytest.mark.parametrize("control", ["\u202a", "\u202e", "\u2066", "\u2069"])
def test_a_name_does_not_change_the_text_direction(control: str) -> None:
    data = receipt(store_name=f"Loja {control}sad", description=f"{control}00,1 $R")

    for text in texts(received(data)):
        assert control not in text
        assert "Loja sad recebeu o seu Pix." in text
