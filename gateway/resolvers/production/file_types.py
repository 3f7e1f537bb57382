"""What a file is, by its content: a PDF, a JPEG, a PNG, or nothing that we take.

The first bytes say what a file claims to be, and its structure has to bear it out: a page of HTML behind a borrowed
signature, a truncated scan and an archive behind an image are none of the three. Nothing is decoded or drawn: chunks
and segments are walked by the lengths they state, a limited number of them. A PNG's data is inflated piece by piece,
and no further than its dimensions say, so that no small file fills the memory of whoever opens it. Sources: PNG, third
edition, sections 5 and 11; JPEG, ITU-T T.81, annex B; PDF, ISO 32000-2, section 7.5.
"""

import re
import struct
import zlib
from collections.abc import Iterator

from msgspec import Struct

from gateway.models.production import FileType

MOST_PIXELS = 80_000_000
"""More would fill the memory of whoever opens it; a page scanned at 600 dpi has 35 million."""
MAX_DECODED_BYTES = 160 * 1024 * 1024
"""Of a PNG: 40 megapixels with transparency, or fewer with more bits. A page scanned at 600 dpi has 105 million."""
MAX_METADATA_BYTES = 8 * 1024 * 1024
"""What the compressed texts and colour profiles of a PNG may inflate to, together."""
MAX_SCANS = 64
"""Of a JPEG. Progressive ones have about ten; each makes a viewer go through the whole image."""
MOST_PARTS = 20_000
"""Chunks or segments that are walked. Encoders write some thousands at most in ten megabytes."""

_HUGE = "a imagem tem dimensões grandes demais; reduza-a para até 40 megapixels, com 8 bits por cor"

_PDF = re.compile(rb"%PDF-(?:1\.[0-7]|2\.\d)[\r\n \t]")
_PDF_END = re.compile(rb"startxref\s{1,8}(\d{1,10})\s{1,8}%%EOF[\s\x00]*\Z")
_PDF_TABLE = re.compile(rb"\s{0,8}(?:xref\s|\d{1,10}\s{1,8}\d{1,5}\s{1,8}obj)")
_PDF_TAIL = 2048

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_CHUNK = re.compile(rb"[A-Za-z]{4}")
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PNG_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""Adam7: the first column and row of each pass, and the steps."""
_PNG_COMPRESSED = {
    b"zTXt": re.compile(rb"[^\0]{1,79}\0\0"),
    b"iCCP": re.compile(rb"[^\0]{1,79}\0\0"),
    b"iTXt": re.compile(rb"[^\0]{1,79}\0\x01\0[^\0]*\0[^\0]*\0"),
}
"""Chunks with compressed metadata, and what stands before it."""
_INFLATED_AT_A_TIME = 16 * 1024
"""Bytes of compressed data: at most 17 MB of inflated data (RFC 1951 gives a ratio of 1,032)."""
_PNG_DEPTHS = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}

_JPEG = b"\xff\xd8\xff"
_JPEG_MARKER = re.compile(rb"\xff+([\x02-\xfe])")
_JPEG_SCAN_END = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
_JPEG_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_JPEG_START, _JPEG_END, _JPEG_SCAN = 0xD8, 0xD9, 0xDA
_JPEG_BARE = {_JPEG_START, *range(0xD0, 0xD8)}
"""Markers without a length, which have no place between segments."""


class Recognised(Struct, frozen=True):
    """A file that is what it claims to be; `content` ends where the format says it ends."""

    type: FileType
    content: bytes


def recognise(content: bytes) -> Recognised:
    """Recognise a file. Raises ValueError with a Portuguese reason. Not for the event loop: it reads every byte."""
    if not content:
        raise ValueError("o arquivo está vazio")
    if content.startswith(_PNG):
        return Recognised(FileType.png, _png(content))
    if content.startswith(_JPEG):
        return Recognised(FileType.jpeg, _jpeg(content))
    if _PDF.match(content):
        return Recognised(FileType.pdf, _pdf(content))
    raise ValueError("envie um PDF, um JPEG ou um PNG")


def _pdf(content: bytes) -> bytes:
    """Whole: its end names the place of its cross-reference table, and there is one."""
    end = _PDF_END.search(content, max(0, len(content) - _PDF_TAIL))
    if end is None or not _PDF_TABLE.match(content, int(end[1])):
        raise ValueError("o PDF está incompleto ou danificado; gere-o de novo")
    return content


def _png(content: bytes) -> bytes:
    """Whole: every chunk's checksum is right, the header comes first, and nothing comes after the end."""
    try:
        _inflate_png(_png_chunks(content))
    except zlib.error:
        raise ValueError("a imagem PNG está incompleta ou danificada; salve-a de novo") from None
    return content


def _inflate_png(chunks: Iterator[tuple[bytes, bytes]]) -> None:
    """Raise `zlib.error` unless the data is what the header says, and no more."""
    data, metadata = _Inflation(_png_size(*next(chunks))), MAX_METADATA_BYTES
    for kind, body in chunks:
        if kind == b"IHDR":
            raise zlib.error
        if kind == b"acTL":
            raise ValueError("envie uma imagem PNG sem animação")
        if kind == b"IDAT":
            data.add(body)
        elif before := kind in _PNG_COMPRESSED and _PNG_COMPRESSED[kind].match(body):
            metadata = _Inflation(metadata).add(body[before.end() :])
    if not data.complete:
        raise zlib.error


def _png_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and body of each chunk before the end. Raises `zlib.error` where one is damaged."""
    place = len(_PNG)
    for _ in range(MOST_PARTS):
        header = content[place : place + 8]
        if len(header) < 8 or not _PNG_CHUNK.match(header, 4):
            raise zlib.error
        length, kind = int.from_bytes(header[:4]), header[4:]
        end = place + 12 + length
        if end > len(content) or zlib.crc32(content[place + 4 : end - 4]) != int.from_bytes(content[end - 4 : end]):
            raise zlib.error
        if kind == b"IEND":
            if length or end != len(content):
                raise zlib.error
            return
        yield kind, content[place + 8 : end - 4]
        place = end
    raise zlib.error


def _png_size(kind: bytes, header: bytes) -> int:
    """The bytes that an image's data inflates to. Raises `zlib.error` for a header that is none."""
    if kind != b"IHDR" or len(header) != 13:
        raise zlib.error
    width, height, depth, colour, compression, filtering, interlacing = struct.unpack(">IIBBBBB", header)
    _refuse_huge(width, height)
    methods = compression == filtering == 0 and interlacing <= 1
    if not (width and height and methods and depth in _PNG_DEPTHS.get(colour, ())):
        raise zlib.error
    passes = _PNG_PASSES if interlacing else ((0, 0, 1, 1),)
    size = 0
    for column, row, step, line_step in passes:
        columns, lines = -(-(width - column) // step), -(-(height - row) // line_step)
        if columns > 0 and lines > 0:
            size += lines * (1 + -(-columns * depth * _PNG_CHANNELS[colour] // 8))
    if size > MAX_DECODED_BYTES:
        raise ValueError(_HUGE)
    return size


class _Inflation:
    """Inflates what is added, keeps nothing of it, and refuses more than `size` bytes. Raises `zlib.error`."""

    def __init__(self, size: int) -> None:
        self._left = size  # Bytes.
        self._stream = zlib.decompressobj()

    @property
    def complete(self) -> bool:
        return self._stream.eof and not self._left

    def add(self, compressed: bytes) -> int:
        """How many bytes are left."""
        for start in range(0, len(compressed), _INFLATED_AT_A_TIME):
            self._left -= len(self._stream.decompress(compressed[start : start + _INFLATED_AT_A_TIME]))
            if self._left < 0:
                raise ValueError("a imagem PNG tem mais dados do que as dimensões dela; salve-a de novo")
        return self._left


def _jpeg(content: bytes) -> bytes:
    """The image, up to its end. Phones append films, second images and notes of their own, which are no document."""
    place, framed, scans = 2, False, 0
    for _ in range(MOST_PARTS):
        marker = _JPEG_MARKER.match(content, place)
        if marker is None or (code := marker[1][0]) in _JPEG_BARE:
            break
        place = marker.end()
        if code == _JPEG_END:
            if framed and scans:
                return content[:place]
            break
        length = int.from_bytes(content[place : place + 2])
        segment = content[place + 2 : place + length]
        if length < 2 or len(segment) < length - 2:
            break
        place += length
        if code in _JPEG_FRAMES:
            if framed:
                break
            framed = _jpeg_frame(segment)
        elif code == _JPEG_SCAN:
            after = _JPEG_SCAN_END.search(content, place)
            if after is None or not framed or scans == MAX_SCANS:
                break
            place, scans = after.start(), scans + 1
    raise ValueError("a imagem JPEG está incompleta ou danificada; salve-a de novo")


def _jpeg_frame(segment: bytes) -> bool:
    if len(segment) < 6:
        return False
    _precision, height, width, components = struct.unpack_from(">BHHB", segment)
    _refuse_huge(width, height)
    return bool(height and width and 1 <= components <= 4 and len(segment) == 6 + 3 * components)


def _refuse_huge(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise ValueError(_HUGE)
