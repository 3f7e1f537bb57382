"""PDF, JPEG and PNG recognition: files of real software are accepted, imitations are refused."""

import io
import struct
import time
import zipfile
import zlib

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as pace
from hypothesis import strategies as st
from PIL import Image

from gateway.models.production import FileType
from gateway.resolvers.production.file_types import MAX_SCANS, MAX_SEGMENTS, recognize
from tests.applicants import JPEG, PDF, PNG, drawn

KINDS = [(PDF, FileType.pdf), (JPEG, FileType.jpeg), (PNG, FileType.png)]
quick = pace(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def header(width: int = 1, height: int = 1, depth: int = 8, colour: int = 2) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))


DATA, END = chunk(b"IDAT", zlib.compress(b"\x00\x00\x00\x00")), chunk(b"IEND", b"")


@pytest.mark.parametrize(("content", "kind"), KINDS, ids=["pdf", "jpeg", "png"])
def test_files_of_real_software_are_recognized_and_unchanged(content: bytes, kind: FileType) -> None:
    found = recognize(content)
    assert (found.type, found.content) == (kind, content)


@quick
@given(
    size=st.tuples(st.integers(1, 300), st.integers(1, 300)),
    mode=st.sampled_from(["1", "L", "RGB", "CMYK", "RGBA", "P", "I;16", "LA"]),
    kind=st.sampled_from(["PNG", "JPEG", "PDF"]),
    progressive=st.booleans(),
)
def test_every_image_that_pillow_can_write_is_recognized(
    size: tuple[int, int], mode: str, kind: str, progressive: bool
) -> None:
    file = io.BytesIO()
    options = {"progressive": progressive} if kind == "JPEG" else {}
    try:
        Image.effect_noise(size, 50).convert(mode).save(file, kind, **options)
    except (OSError, ValueError):
        return  # Not every format supports every mode.
    found = recognize(file.getvalue())
    assert found.content == file.getvalue()
    assert found.type.value.endswith(kind.lower())


@quick
@given(st.binary(max_size=2000))
@example(b"")
@example(b"\x89PNG\r\n\x1a\n")
@example(b"\xff\xd8\xff")
@example(b"\xff\xd8\xff\xd9")
@example(b"%PDF-1.7\n%%EOF")
def test_noise_is_refused_in_portuguese_and_never_breaks_it(noise: bytes) -> None:
    for content in (noise, *(whole[:12] + noise for whole, _ in KINDS)):
        with pytest.raises(ValueError, match=r"o arquivo|envie|incomplet|dimensões"):
            recognize(content)


@quick
@given(data=st.data(), which=st.sampled_from(range(3)))
def test_a_truncated_file_is_refused(data: st.DataObject, which: int) -> None:
    content, kind = KINDS[which]
    # The line break after the end of a PDF is optional.
    length = data.draw(st.integers(0, len(content.rstrip() if kind is FileType.pdf else content) - 1))
    with pytest.raises(ValueError, match=r"\w"):
        recognize(content[:length])


@quick
@given(place=st.integers(8, len(PNG) - 1), flip=st.integers(1, 255))
def test_one_changed_byte_damages_a_png(place: int, flip: int) -> None:
    changed = bytearray(PNG)
    changed[place] ^= flip
    with pytest.raises(ValueError, match="PNG"):
        recognize(bytes(changed))


@quick
@given(st.binary(min_size=1, max_size=200).filter(lambda more: more.strip(b" \t\r\n\f\v\x00")))
@example(b"<script>alert(1)</script>")
def test_trailing_data_is_refused_or_removed(more: bytes) -> None:
    with pytest.raises(ValueError, match="PNG"):
        recognize(PNG + more)
    with pytest.raises(ValueError, match="PDF"):
        recognize(PDF + more)
    # Phones append films and notes to a photo. They are removed.
    assert recognize(JPEG + more).content == JPEG


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("a.html", "<script>alert(1)</script>")
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<!doctype html><script>alert(1)</script>",
        b"GIF89a" + b"\x00" * 40,
        b"II*\x00" + b"\x00" * 40,
        b"RIFF\x00\x00\x00\x00WEBPVP8 ",
        drawn("BMP"),
        archive(),
        b"\x7fELF" + b"\x00" * 60,
        b"MZ" + b"\x00" * 60,
        b"\xef\xbb\xbf" + PDF,
        b"\n" + PDF,
        b"<script>alert(1)</script>" + PDF,
        b"GIF89a" + PNG,
        PDF + archive(),
        PNG + archive(),
    ],
)
def test_other_file_types_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        recognize(content)


@pytest.mark.parametrize(
    "content",
    [
        png(header(100_000, 100_000), DATA, END),
        png(header(2**31 - 1, 1), DATA, END),
        JPEG.replace(b"\x00\x1e\x00\x28\x03", b"\xff\xff\xff\xff\x03"),
        png(header(6_000, 6_000, 16, 6), DATA, END),
    ],
    ids=["a square of ten gigapixels", "a line without end", "a jpeg", "an image with many bits"],
)
def test_a_decompression_bomb_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="dimensões"):
        recognize(content)


_BOMB = zlib.compress(bytes(200_000_000), 9)
_TEXT_BOMB = zlib.compress(bytes(9_000_000), 9)


@pytest.mark.parametrize(
    "content",
    [
        png(header(), chunk(b"IDAT", _BOMB), END),
        png(header(), *(chunk(b"IDAT", _BOMB[start : start + 99]) for start in range(0, len(_BOMB), 99)), END),
        png(header(100, 100), chunk(b"IDAT", _BOMB), END),
        png(header(), chunk(b"zTXt", b"a\0\0" + _TEXT_BOMB), DATA, END),
        png(header(), chunk(b"iCCP", b"a\0\0" + _TEXT_BOMB), DATA, END),
        png(header(), chunk(b"iTXt", b"a\0\1\0pt\0a\0" + _TEXT_BOMB), DATA, END),
        png(header(), *[chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(4_000_000)))] * 3, DATA, END),
        png(header(), chunk(b"acTL", bytes(8)), DATA, END),
    ],
    ids=[
        "one pixel",
        "in many parts",
        "a hundred lines",
        "a text",
        "a profile",
        "an international text",
        "texts",
        "a film",
    ],
)
def test_a_small_file_that_inflates_beyond_its_dimensions_is_refused_cheaply(content: bytes) -> None:
    began = time.thread_time()
    with pytest.raises(ValueError, match=r"mais dados|animação"):
        recognize(content)
    assert time.thread_time() - began < 1, "decompression is bounded"


def test_png_data_matches_its_dimensions() -> None:
    for data in (b"", zlib.compress(bytes(3)), zlib.compress(bytes(4))[:-1], b"no zlib", zlib.compress(bytes(4))[:-4]):
        with pytest.raises(ValueError, match="PNG"):
            recognize(png(header(), chunk(b"IDAT", data), END))
    whole = png(header(), chunk(b"zTXt", b"a\0\0" + zlib.compress(b"x")), chunk(b"teXt", b"a\0b"), DATA, END)
    assert recognize(whole).content == whole


def test_a_jpeg_with_too_many_scans_is_refused() -> None:
    start = JPEG.index(b"\xff\xda")
    scan = JPEG[start:-2]
    several = JPEG[:start] + scan * MAX_SCANS + JPEG[-2:]
    assert recognize(several).content == several
    with pytest.raises(ValueError, match="JPEG"):
        recognize(JPEG[:start] + scan * (MAX_SCANS + 1) + JPEG[-2:])


@pytest.mark.parametrize(
    "content",
    [
        png(header(), END),
        png(DATA, END),
        png(header(), DATA),
        png(header(), header(), DATA, END),
        png(header(0, 5), DATA, END),
        png(header(depth=3), DATA, END),
        png(header(colour=5), DATA, END),
        png(header(), DATA, chunk(b"IEND", b"x")),
        png(header(), chunk(b"ab1d", b""), DATA, END),
        png(header(), *[chunk(b"teXt", b"")] * MAX_SEGMENTS, DATA, END),
    ],
    ids=["no data", "no header", "no end", "two", "flat", "depth", "colour", "a full end", "name", "without end"],
)
def test_png_chunks_are_in_order(content: bytes) -> None:
    with pytest.raises(ValueError, match="PNG"):
        recognize(content)


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xd8\xff\xe0\x00\x02\xff\xd9",
        b"\xff\xd8\xff\xe0\xff\xff" + b"x" * 100,
        b"\xff\xd8\xff\xe0\x00\x01\xff\xd9",
        b"\xff\xd8" + b"\xff" * 100_000,
        b"\xff\xd8" + b"\xff\xfe\x00\x02" * (MAX_SEGMENTS + 1),
        JPEG[:2] + JPEG[JPEG.index(b"\xff\xda") :],
        JPEG[:-2] + b"\xff\xd8\xff\xd9",
    ],
    ids=["no image", "too long", "too short", "only fill", "without end", "no frame", "a start within"],
)
def test_jpeg_segments_are_in_order(content: bytes) -> None:
    with pytest.raises(ValueError, match="JPEG"):
        recognize(content)


def test_fill_bytes_and_restarts_are_accepted_in_a_jpeg() -> None:
    restarts = drawn("JPEG", (400, 300), restart_marker_blocks=2)
    assert b"\xff\xd0" in restarts
    assert recognize(restarts).content == restarts
    filled = JPEG[:2] + b"\xff\xff" + JPEG[2:]
    assert recognize(filled).content == filled


@pytest.mark.parametrize("place", [b"0", b"9999999999", b"17"])
def test_a_pdf_trailer_points_to_its_xref_table(place: bytes) -> None:
    head, _, rest = PDF.rpartition(b"startxref\n")
    number = rest.split(b"\n")[0]
    with pytest.raises(ValueError, match="PDF"):
        recognize(head + b"startxref\n" + rest.replace(number, place, 1))
