"""Recognize PDF, JPEG and PNG files by content, and reject all others.

The first bytes give the format, and the structure must match it: no HTML behind an image's signature, no truncated
scan, no archive behind an image. No image is decoded. Chunks and segments are read by their lengths, up to a limit. The
data of a PNG is inflated in pieces, up to the size that its dimensions give, so that no small file fills a viewer's
memory. Sources: PNG, third edition, sections 5 and 11; JPEG, ITU-T T.81, annex B; PDF, ISO 32000-2, section 7.5.
"""

import re
import struct
import zlib
from collections.abc import Iterator

from msgspec import Struct

from gateway.models.production import FileType

MAX_PIXELS = 80_000_000
"""A page scanned at 600 dpi has 35 million."""
MAX_DECODED_BYTES = 160 * 1024 * 1024
"""Of a PNG: 40 megapixels with transparency. A page scanned at 600 dpi has 105 million bytes."""
MAX_METADATA_BYTES = 8 * 1024 * 1024
"""Inflated texts and colour profiles of a PNG, together."""
MAX_SCANS = 64
"""Of a JPEG. Progressive ones have about ten, and each makes a viewer process the whole image."""
MAX_SEGMENTS = 20_000
"""Chunks or segments. Encoders write some thousands in ten megabytes."""

_HUGE = "a imagem tem dimensões grandes demais; reduza-a para até 40 megapixels, com 8 bits por cor"

_PDF = re.compile(rb"%PDF-(?:1\.[0-7]|2\.\d)[\r\n \t]")
_PDF_END = re.compile(rb"startxref\s{1,8}(\d{1,10})\s{1,8}%%EOF[\s\x00]*\Z")
_PDF_TABLE = re.compile(rb"\s{0,8}(?:xref\s|\d{1,10}\s{1,8}\d{1,5}\s{1,8}obj)")
_PDF_TAIL = 2048

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_CHUNK = re.compile(rb"[A-Za-z]{4}")
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PNG_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""Adam7 interlacing: the first column and row of each pass, and the steps."""
_PNG_COMPRESSED = {
    b"zTXt": re.compile(rb"[^\0]{1,79}\0\0"),
    b"iCCP": re.compile(rb"[^\0]{1,79}\0\0"),
    b"iTXt": re.compile(rb"[^\0]{1,79}\0\x01\0[^\0]*\0[^\0]*\0"),
}
"""Chunks with compressed metadata, and the pattern before it."""
_INFLATE_BYTES = 16 * 1024
"""Compressed bytes in one piece: at most 17 MB inflated, by RFC 1951's ratio of 1,032."""
_PNG_DEPTHS = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}

_JPEG = b"\xff\xd8\xff"
_JPEG_MARKER = re.compile(rb"\xff+([\x02-\xfe])")
_JPEG_SCAN_END = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
_JPEG_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_JPEG_START, _JPEG_END, _JPEG_SCAN = 0xD8, 0xD9, 0xDA
_JPEG_BARE = {_JPEG_START, *range(0xD0, 0xD8)}
"""Markers without a length. They can't occur between segments."""


class RecognizedFile(Struct, frozen=True):
    """A valid file. Its `content` ends where the format ends."""

    type: FileType
    content: bytes


def recognize(content: bytes) -> RecognizedFile:
    """Recognize a file. Raises ValueError with a Portuguese reason. It reads every byte: call it in a thread."""
    if not content:
        raise ValueError("o arquivo está vazio")
    if content.startswith(_PNG):
        return RecognizedFile(FileType.png, _png(content))
    if content.startswith(_JPEG):
        return RecognizedFile(FileType.jpeg, _jpeg(content))
    if _PDF.match(content):
        return RecognizedFile(FileType.pdf, _pdf(content))
    raise ValueError("envie um PDF, um JPEG ou um PNG")


def _pdf(content: bytes) -> bytes:
    """Check that the trailer gives the offset of a cross-reference table."""
    end = _PDF_END.search(content, max(0, len(content) - _PDF_TAIL))
    if end is None or not _PDF_TABLE.match(content, int(end[1])):
        raise ValueError("o PDF está incompleto ou danificado; gere-o de novo")
    return content


def _png(content: bytes) -> bytes:
    """Check the checksums, that the header comes first, and that nothing follows the end."""
    try:
        _inflate_png(_png_chunks(content))
    except zlib.error:
        raise ValueError("a imagem PNG está incompleta ou danificada; salve-a de novo") from None
    return content


def _inflate_png(chunks: Iterator[tuple[bytes, bytes]]) -> None:
    """Raise `zlib.error` unless the data has the size that the header gives."""
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
    """Name and body of each chunk before the end. Raises `zlib.error` for a damaged one."""
    offset = len(_PNG)
    for _ in range(MAX_SEGMENTS):
        header = content[offset : offset + 8]
        if len(header) < 8 or not _PNG_CHUNK.match(header, 4):
            raise zlib.error
        length, kind = int.from_bytes(header[:4]), header[4:]
        end = offset + 12 + length
        if end > len(content) or zlib.crc32(content[offset + 4 : end - 4]) != int.from_bytes(content[end - 4 : end]):
            raise zlib.error
        if kind == b"IEND":
            if length or end != len(content):
                raise zlib.error
            return
        yield kind, content[offset + 8 : end - 4]
        offset = end
    raise zlib.error


def _png_size(kind: bytes, header: bytes) -> int:
    """The inflated size of the image data. Raises `zlib.error` for an invalid header."""
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
    """Inflates data without storing it, and rejects more than `size` bytes. Raises `zlib.error`."""

    def __init__(self, size: int) -> None:
        self._left = size  # Bytes.
        self._stream = zlib.decompressobj()

    @property
    def complete(self) -> bool:
        return self._stream.eof and not self._left

    def add(self, compressed: bytes) -> int:
        """Inflate a piece, and return the number of bytes left."""
        for start in range(0, len(compressed), _INFLATE_BYTES):
            self._left -= len(self._stream.decompress(compressed[start : start + _INFLATE_BYTES]))
            if self._left < 0:
                raise ValueError("a imagem PNG tem mais dados do que as dimensões dela; salve-a de novo")
        return self._left


def _jpeg(content: bytes) -> bytes:
    """The image, up to its end. Phones append films, second images and notes, which are cut off."""
    offset, framed, scans = 2, False, 0
    for _ in range(MAX_SEGMENTS):
        marker = _JPEG_MARKER.match(content, offset)
        if marker is None or (code := marker[1][0]) in _JPEG_BARE:
            break
        offset = marker.end()
        if code == _JPEG_END:
            if framed and scans:
                return content[:offset]
            break
        length = int.from_bytes(content[offset : offset + 2])
        segment = content[offset + 2 : offset + length]
        if length < 2 or len(segment) < length - 2:
            break
        offset += length
        if code in _JPEG_FRAMES:
            if framed:
                break
            framed = _jpeg_frame(segment)
        elif code == _JPEG_SCAN:
            after = _JPEG_SCAN_END.search(content, offset)
            if after is None or not framed or scans == MAX_SCANS:
                break
            offset, scans = after.start(), scans + 1
    raise ValueError("a imagem JPEG está incompleta ou danificada; salve-a de novo")


def _jpeg_frame(segment: bytes) -> bool:
    if len(segment) < 6:
        return False
    _precision, height, width, components = struct.unpack_from(">BHHB", segment)
    _refuse_huge(width, height)
    return bool(height and width and 1 <= components <= 4 and len(segment) == 6 + 3 * components)


def _refuse_huge(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise ValueError(_HUGE)
