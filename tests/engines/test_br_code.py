"""BR Codes: public examples, round trips, and single-character errors."""

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gateway.integrations.engines.br_code import (
    MAX_LENGTH,
    BrCode,
    Fault,
    InvalidBrCode,
    build_dynamic,
    check,
    crc,
    parse,
)

UUID_KEY = "123e4567-e12b-12d1-a456-426655440000"
MANUAL_URL = "pix.example.com/8b3da2f39a4140d1a91abd93113bd441"


def code(**fields):
    """Return a parsed code with these fields; the others are empty."""
    return BrCode(
        **dict.fromkeys(BrCode.__slots__) | {"merchant_name": "Fulano de Tal", "merchant_city": "BRASILIA"} | fields
    )


VECTORS = {
    "1: manual of Banco Central, static": (
        "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D",
        code(key=UUID_KEY),
    ),
    "2: manual of Banco Central, dynamic": (
        "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4",
        code(url=MANUAL_URL),
    ),
    "3: Banco Central, a charge and a recurrence in one": (
        "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304FB42",
        code(url=MANUAL_URL),
    ),
    "4: manual of the BR Code, other schemes' accounts next to Pix's and a txid with a hyphen": (
        "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38",
        code(
            key=UUID_KEY,
            amount=12345,
            merchant_name="NOME DO RECEBEDOR",
            txid="RP12345678-2019",
        ),
    ),
    "5: static, marked as reusable": (
        "00020101021126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630448CD",
        code(key=UUID_KEY),
    ),
    "6: npm pix-utils, amount and info": (
        "00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63040DC6",
        code(
            key="thalesog@me.com",
            amount=1000,
            merchant_name="THALES OGLIARI",
            merchant_city="SAO MIGUEL DO O",
        ),
    ),
    "7: npm pix-utils, dynamic and single use": (
        "00020101021226740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63042895",
        code(
            url="payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87",
            merchant_name="THALES OGLIARI",
            merchant_city="SAO MIGUEL DO O",
        ),
    ),
    "8: static with an amount, a txid of 25 and a withdrawal facilitator": (
        "00020126950014br.gov.bcb.pix01364004901d-bd85-4769-8e52-cb4c42c506dc0221Jornada pagador 431070308999990085204000053039865406577.575802BR5903Pix6008BRASILIA6229052599ed983ea570413d8d336301d630418B7",
        code(
            key="4004901d-bd85-4769-8e52-cb4c42c506dc",
            amount=57757,
            merchant_name="Pix",
            txid="99ed983ea570413d8d336301d",
        ),
    ),
    "9: documentation of Asaas, dynamic": (
        "00020101021226730014br.gov.bcb.pix2551pix-h.asaas.com/pixqrcode/cobv/pay_76575613967995145204000053039865802BR5905ASAAS6009Joinville61088922827162070503***63045E7A",
        code(
            url="pix-h.asaas.com/pixqrcode/cobv/pay_7657561396799514",
            merchant_name="ASAAS",
            merchant_city="Joinville",
        ),
    ),
    "10: the GUI in upper case, one real": (
        "00020126580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000052040000530398654041.005802BR5913Fulano de Tal6008BRASILIA62070503***630451B8",
        code(key=UUID_KEY, amount=100),
    ),
    "12: ours, cleaned and cut, read by npm pix-utils": (
        "00020126990014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400000237xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx52040000530398654071234.505802BR5908Acai Cia6009Sao Paulo62290525AAAAAAAAAAAAAAAAAAAAAAAAA6304A0AD",
        code(
            key=UUID_KEY,
            amount=123450,
            merchant_name="Acai Cia",
            merchant_city="Sao Paulo",
            txid="A" * 25,
        ),
    ),
}
STATIC = VECTORS["1: manual of Banco Central, static"][0]
DYNAMIC = VECTORS["2: manual of Banco Central, dynamic"][0]

names = st.text(min_size=1, max_size=60)
amounts = st.integers(1, 999_999_999)
urls = st.text(string.ascii_letters + string.digits + "./-_", min_size=1, max_size=77).filter(
    lambda url: not url.startswith("http")
)


def with_crc(fields):
    """Append the right CRC, so that only the tested part is wrong."""
    return (text := fields + "6304") + crc(text)


def fault_of(payload):
    with pytest.raises(InvalidBrCode) as refusal:
        parse(payload)
    return refusal.value.fault


def edited(old, new, payload=STATIC):
    assert payload.count(old) == 1
    return with_crc(payload[:-8].replace(old, new))


# ---- The public examples


@pytest.mark.parametrize(("payload", "expected"), VECTORS.values(), ids=VECTORS)
def test_public_examples_are_parsed(payload, expected):
    assert parse(payload) == expected


@pytest.mark.parametrize("payload", [payload for payload, _ in VECTORS.values()], ids=VECTORS)
def test_every_single_character_error_in_a_public_example_is_refused(payload):
    """A 16-bit CRC detects any burst error of 16 bits, so any one character."""
    for at, right in enumerate(payload):
        wrong = "A" if right != "A" else "B"
        assert fault_of(payload[:at] + wrong + payload[at + 1 :])


def test_a_code_with_only_a_recurrence_is_refused():
    """Vector 11, from the OpenAPI of Banco Central, is well formed, but has nothing to pay now."""
    assert (
        fault_of(
            "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9"
        )
        is Fault.MISSING
    )


def test_the_sample_of_asaas_with_a_wrong_length_is_refused():
    """Vector N1: the length of field 59 is wrong (25 instead of 9), and so is the CRC (B97D would be right)."""
    published = "00020126580014br.gov.bcb.pix0136a9fe43bc-164d-44d1-91c2-2f9b4d6956e95204000053039865802BR5925Churrasco6009Joinville62290525JOAOSILVA00000055ASA6304E62B"
    assert fault_of(published)
    assert fault_of(with_crc(published[:-8]))
    assert with_crc(published[:-8]).endswith("B97D")


def test_a_changed_name_fails_on_the_crc():
    """Vector N2."""
    assert fault_of(STATIC.replace("Fulano", "Fulana")) is Fault.CRC


def test_we_build_vector_7():
    dynamic = build_dynamic(
        url="payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87",
        amount=12990,
        merchant_name="THALES OGLIARI",
        merchant_city="SAO MIGUEL DO OESTE",
    )
    without_amount = with_crc(dynamic[:-8].replace("5406129.90", ""))
    assert without_amount == VECTORS["7: npm pix-utils, dynamic and single use"][0]


def test_the_check_value_of_the_crc():
    assert crc("123456789") == "29B1"


# ---- Refused codes


REFUSED = {
    "nothing": ("", Fault.MISSING),
    "no field": ("pix", Fault.STRUCTURE),
    "cut short": (STATIC[:-1], Fault.LENGTH),
    "half a field after the end": (STATIC + "0", Fault.STRUCTURE),
    "a field after the CRC": (STATIC + "610870074900", Fault.ORDER),
    "a field that runs over the end": (STATIC + "6108700749", Fault.LENGTH),
    "a newline": (STATIC + "\n", Fault.CHARSET),
    "a tab": (STATIC.replace("Fulano", "Ful\tno"), Fault.CHARSET),
    "an accent": (STATIC.replace("Fulano", "Ful\u00e2no"), Fault.CHARSET),
    "digits of another alphabet": (STATIC.replace("0002", "\u0660\u0660\u0660\u0662"), Fault.CHARSET),
    "over 512 characters": (
        with_crc(STATIC[:-8] + "".join(f"{tag}99{'x' * 99}" for tag in range(64, 68))),
        Fault.LENGTH,
    ),
    "CRC in lower case": (STATIC[:-4] + STATIC[-4:].lower(), Fault.CRC),
    "CRC of something else": (STATIC[:-4] + "0000", Fault.CRC),
    "CRC of five digits": (STATIC[:-8] + "63051D3D0", Fault.CRC),
    "no CRC": (STATIC[:-8], Fault.MISSING),
    "no name": (edited("5913Fulano de Tal", ""), Fault.MISSING),
    "no city": (edited("6008BRASILIA", ""), Fault.MISSING),
    "no currency": (edited("5303986", ""), Fault.MISSING),
    "no additional data": (edited("62070503***", ""), Fault.MISSING),
    "additional data without a txid": (edited("62070503***", "62070603***"), Fault.MISSING),
    "another scheme's account only": (edited("br.gov.bcb.pix", "br.com.outro.x"), Fault.MISSING),
    "Pix outside the fields of accounts": (edited("26580014", "20580014"), Fault.MISSING),
    "neither key nor URL": (edited("26580014br.gov.bcb.pix0136" + UUID_KEY, "26180014br.gov.bcb.pix"), Fault.MISSING),
    "both key and URL": (edited("26700014", "26750014", DYNAMIC.replace("2548", "0101x2548")), Fault.MISSING),
    "no format first": (with_crc("5802BR" + STATIC[:-8].replace("5802BR", "")), Fault.ORDER),
    "the country twice": (edited("5802BR", "5802BR5802BR"), Fault.DUPLICATE),
    "the txid twice": (edited("62070503***", "62140503***0503***"), Fault.DUPLICATE),
    "two Pix accounts": (edited("5204", "27230014br.gov.bcb.pix0101x5204"), Fault.DUPLICATE),
    "an account that is no template": (edited("5204", "2704oops5204"), Fault.STRUCTURE),
    "two recurrences": (edited("6207", "80180014br.gov.bcb.pix81180014br.gov.bcb.pix6207"), Fault.DUPLICATE),
    "a recurrence that is no template": (edited("6207", "8004oops6207"), Fault.STRUCTURE),
    "an empty field": (edited("5913Fulano de Tal", "5900"), Fault.STRUCTURE),
    "another format": (edited("000201", "000202"), Fault.VALUE),
    "another point of initiation": (edited("000201", "000201010213"), Fault.VALUE),
    "another currency": (edited("5303986", "5303840"), Fault.VALUE),
    "another country": (edited("5802BR", "5802US"), Fault.VALUE),
    "a name of 26": (edited("5913Fulano de Tal", "5926" + "F" * 26), Fault.VALUE),
    "a city of 16": (edited("6008BRASILIA", "6016" + "B" * 16), Fault.VALUE),
    "a txid of 26": (edited("62070503***", "62300526" + "A" * 26), Fault.LENGTH),
    "an amount without centavos": (edited("5802BR", "5402105802BR"), Fault.VALUE),
    "an amount with a comma": (edited("5802BR", "540510,005802BR"), Fault.VALUE),
    "an amount of three decimals": (edited("5802BR", "540610.0005802BR"), Fault.VALUE),
    "an amount of eleven digits": (edited("5802BR", "541412345678901.005802BR"), Fault.VALUE),
    "a negative amount": (edited("5802BR", "5405-1.005802BR"), Fault.VALUE),
    "a key with spaces": (edited(UUID_KEY, UUID_KEY.replace("-", " ")), Fault.VALUE),
    "a URL with its scheme": (edited("26700014", "26780014", DYNAMIC.replace("2548", "2556https://")), Fault.VALUE),
}


@pytest.mark.parametrize(("payload", "fault"), REFUSED.values(), ids=REFUSED)
def test_a_refused_code_has_its_fault(payload, fault):
    assert fault_of(payload) is fault


def test_a_code_has_at_most_512_characters():
    fillers = "".join(f"{tag}99{'x' * 99}" for tag in (64, 65, 66))
    left = MAX_LENGTH - len(STATIC + fillers) - 4
    assert len(longest := with_crc(f"{STATIC[:-8]}{fillers}67{left:02d}{'x' * left}")) == MAX_LENGTH
    assert parse(longest) == parse(STATIC)
    assert fault_of(with_crc(f"{STATIC[:-8]}{fillers}67{left + 1:02d}{'x' * (left + 1)}")) is Fault.LENGTH


def test_a_message_is_portuguese_and_the_error_is_a_value_error():
    with pytest.raises(ValueError, match=r"O CRC do BR Code não confere\."):
        parse(STATIC[:-4] + "0000")


def test_the_amount_in_the_code_must_be_the_charges():
    payload = VECTORS["10: the GUI in upper case, one real"][0]
    assert check(payload, amount=100) == parse(payload)
    with pytest.raises(InvalidBrCode, match=r"cobra R\$ 1,00, e a cobrança é de R\$ 1,01\.") as refusal:
        check(payload, amount=101)
    assert refusal.value.fault is Fault.AMOUNT


def test_a_code_without_an_amount_suits_any_charge():
    assert check(DYNAMIC, amount=12990).amount is None


# ---- Built codes


@given(urls, amounts, names, names)
def test_a_dynamic_code_has_its_values(url, amount, name, city):
    payload = build_or_skip(url=url, amount=amount, merchant_name=name, merchant_city=city)
    parsed = check(payload, amount=amount)
    assert (parsed.url, parsed.amount, parsed.key, parsed.txid) == (url, amount, None, None)
    assert payload.startswith("000201010212"), "it is for a single use"
    assert 1 <= len(parsed.merchant_name) <= 25
    assert 1 <= len(parsed.merchant_city) <= 15


@given(st.data())
def test_every_single_substitution_insertion_or_deletion_is_detected(data):
    payload = built()
    at = data.draw(st.integers(0, len(payload) - 1))
    character = data.draw(st.sampled_from(string.printable))
    skipped = data.draw(st.integers(0, 1))
    mutant = payload[:at] + data.draw(st.sampled_from([character, ""])) + payload[at + skipped :]
    assume(mutant != payload)
    assert fault_of(mutant)


@given(st.text(max_size=300) | st.text(string.digits + "brpix.", max_size=300).map(lambda text: "000201" + text))
def test_any_other_text_raises_invalid_br_code(text):
    assert fault_of(text)
    if text.isascii():
        assert fault_of(with_crc(text))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Açaí & Cia", "Acai Cia"),
        ("  Padaria   do João  ", "Padaria do Joao"),
        ("Loja (Centro)", "Loja Centro"),
        ("Pão–de–Queijo", "Pao de Queijo"),
        ("Cafe\u0301", "Cafe"),
        ("\ufb01ado\u00ae Ltda.", "fiado Ltda."),
        ("Um Nome Muito Comprido De Loja", "Um Nome Muito Comprido De"),
        ("Vinte e cinco caracteres a", "Vinte e cinco caracteres"),  # The space at the cut is removed too.
        ("Loja\n6304FFFF", "Loja 6304FFFF"),
    ],
)
def test_a_name_is_reduced_to_characters_that_all_banks_accept(written, read):
    assert parse(built(merchant_name=written)).merchant_name == read


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"amount": 0}, Fault.VALUE),
        ({"amount": -1}, Fault.VALUE),
        ({"amount": 10**12}, Fault.VALUE),
        ({"url": ""}, Fault.VALUE),
        ({"url": "u" * 78}, Fault.VALUE),
        ({"url": "https://pix.example.com/1"}, Fault.VALUE),
        ({"url": "HTTP://pix.example.com/1"}, Fault.VALUE),
        ({"url": "pix.example.com/a b"}, Fault.VALUE),
        ({"url": "pix.example.com/\u00e9"}, Fault.VALUE),
        ({"merchant_name": ""}, Fault.MISSING),
        ({"merchant_name": "\u6771\u4eac"}, Fault.MISSING),
        ({"merchant_city": "()"}, Fault.MISSING),
    ],
)
def test_an_invalid_dynamic_code_is_not_built(change, fault):
    with pytest.raises(InvalidBrCode) as refusal:
        built(**change)
    assert refusal.value.fault is fault


def test_the_longest_url_makes_an_account_of_99_characters():
    payload = build_dynamic(url="u" * 77, amount=10**12 - 1, merchant_name="n" * 90, merchant_city="c" * 90)
    assert payload[12:16] == "2699"
    assert check(payload, amount=10**12 - 1).url == "u" * 77


def built(**changes):
    return build_dynamic(
        **{"url": MANUAL_URL, "amount": 1000, "merchant_name": "Loja", "merchant_city": "Belém"} | changes
    )


def build_or_skip(**values):
    """Build a code; skip the example if no character of a name remains."""
    try:
        return build_dynamic(**values)
    except InvalidBrCode as refusal:
        assume(refusal.fault is not Fault.MISSING)
        raise
