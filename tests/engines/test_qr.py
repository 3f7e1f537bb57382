"""The QR code: compared with the `qrcode` package by module, and read by an independent reader."""

import io
import random
import string
from base64 import b64decode

import pytest
import zxingcpp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image
from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_M

from gateway.integrations.engines import qr
from gateway.integrations.engines.br_code import MAX_LENGTH, build_dynamic

PAYLOAD = build_dynamic(
    url="pix.example.com/api/qr/v2/cobv/8b3da2f39a4140d1a91abd93113bd441",
    amount=12990,
    merchant_name="Padaria São João",
    merchant_city="São Paulo",
)
PRINTABLE = string.digits + string.ascii_letters + " $%*+-./:@"

printable = st.text(PRINTABLE, min_size=1, max_size=MAX_LENGTH)
# Runs of digits and of upper case make a symbol change its mode.
mixed = st.lists(
    st.text(string.digits, min_size=15, max_size=45)
    | st.text(string.ascii_uppercase + string.digits, min_size=15, max_size=45)
    | st.text(PRINTABLE, max_size=45),
    min_size=1,
    max_size=11,
).map("".join)


def image(payload):
    return Image.open(io.BytesIO(qr.png(payload)))


def modules(payload):
    """Return the matrix in the PNG; each module must be a square of 8 x 8 equal pixels."""
    picture = image(payload)
    width = picture.width // 8
    assert (picture.mode, picture.size) == ("1", (width * 8, width * 8))
    pixels = picture.tobytes()
    lines = [pixels[at : at + width] for at in range(0, len(pixels), width)]
    assert len(lines) == width * 8
    assert all(lines[at] == lines[at - at % 8] for at in range(len(lines)))
    assert {byte for line in lines for byte in line} == {0x00, 0xFF}
    return [[byte == 0 for byte in line] for line in lines[::8]]


def reference(payload):
    symbol = QRCode(mask_pattern=0, error_correction=ERROR_CORRECT_M)
    symbol.add_data(payload)
    return symbol.get_matrix()


def read(payload):
    (symbol,) = zxingcpp.read_barcodes(image(payload))
    return symbol.text


def test_a_pix_payload_is_drawn_and_read():
    assert modules(PAYLOAD) == reference(PAYLOAD)
    assert read(PAYLOAD) == PAYLOAD


def test_every_length_of_a_pix_payload():
    generator = random.Random(512)
    for length in range(1, MAX_LENGTH + 1):
        payload = "".join(generator.choices(PRINTABLE, k=length))
        assert modules(payload) == reference(payload), payload


@settings(deadline=None, max_examples=60)
@given(mixed.filter(bool) | printable | st.text(min_size=1, max_size=120))
@example("1")
@example("1" * 20)
@example("1" * 512)
@example("A" * 512)
@example("00020126" + "9" * 19 + "a" + "9" * 20)
@example("ação ☕ 東京")
def test_any_text_equals_the_package_s_symbol(payload):
    assert modules(payload) == reference(payload)


@settings(deadline=None, max_examples=60)
@given(printable.filter(lambda text: text == text.strip()))
def test_an_independent_reader_reads_the_payload(payload):
    assert read(payload) == payload


@pytest.mark.parametrize("version", [18, 21, 26, 27, 32, 40])
def test_versions_beyond_pix_payloads_are_correct(version):
    payload = "a" * (qr._CAPACITIES[version] // 8 - 3)
    assert modules(payload) == reference(payload)
    assert len(modules(payload)) == 17 + 4 * version + 8


def test_a_too_long_text_is_refused():
    assert read("x" * 2331) == "x" * 2331
    with pytest.raises(ValueError, match="does not fit"):
        qr.png("x" * 2332)


def test_the_data_url_has_the_png_and_is_cached():
    url = qr.data_url(PAYLOAD)
    prefix, _, image_base64 = url.partition(",")
    assert prefix == "data:image/png;base64"
    assert b64decode(image_base64, validate=True) == qr.png(PAYLOAD)
    assert qr.data_url(PAYLOAD) is url


def test_the_image_stays_small():
    assert len(qr.png(PAYLOAD)) < 1200
