"""What a file is, by its content: a PDF, a JPEG, a PNG, or nothing that we take.

The first bytes say what a file claims to be, and its structure has to bear it out: a page of HTML behind a borrowed
signature, a truncated scan and an archive behind an image are none of the three. Nothing is decoded, decompressed or
drawn, so there is nothing to overflow: chunks and segments are walked by the lengths they state, a limited number of
them. Sources: PNG, third edition, sections 5 and 11; JPEG, ITU-T T.81, annex B; PDF, ISO 32000-2, section 7.5.
"""

import re
import struct
import zlib

from msgspec import Struct

from gateway.models.production import FileType

MOST_PIXELS = 100_000_000
"""More would fill the memory of whoever opens it; a page scanned at 600 dpi has 35 million."""
MOST_PARTS = 20_000
"""Chunks or segments that are walked. Encoders write some thousands at most in ten megabytes."""

_PDF = re.compile(rb"%PDF-(?:1\.[0-7]|2\.\d)[\r\n \t]")
_PDF_END = re.compile(rb"startxref\s{1,8}(\d{1,10})\s{1,8}%%EOF[\s\x00]*\Z")
_PDF_TABLE = re.compile(rb"\s{0,8}(?:xref\s|\d{1,10}\s{1,8}\d{1,5}\s{1,8}obj)")
_PDF_TAIL = 2048

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_CHUNK = re.compile(rb"[A-Za-z]{4}")
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
    damaged = ValueError("a imagem PNG está incompleta ou danificada; salve-a de novo")
    place, data_seen = len(_PNG), False
    for number in range(MOST_PARTS):
        header = content[place : place + 8]
        if len(header) < 8 or not _PNG_CHUNK.match(header, 4):
            raise damaged
        length, kind = int.from_bytes(header[:4]), header[4:]
        end = place + 12 + length
        if end > len(content) or zlib.crc32(content[place + 4 : end - 4]) != int.from_bytes(content[end - 4 : end]):
            raise damaged
        if (number == 0) != (kind == b"IHDR") or (number == 0 and not _png_header(content[place + 8 : end - 4])):
            raise damaged
        data_seen = data_seen or kind == b"IDAT"
        if kind == b"IEND":
            if length or not data_seen or end != len(content):
                raise damaged
            return content
        place = end
    raise damaged


def _png_header(header: bytes) -> bool:
    if len(header) != 13:
        return False
    width, height, depth, colour, compression, filtering, interlacing = struct.unpack(">IIBBBBB", header)
    _refuse_huge(width, height)
    methods = compression == filtering == 0 and interlacing <= 1
    return bool(width and height and methods and depth in _PNG_DEPTHS.get(colour, ()))


def _jpeg(content: bytes) -> bytes:
    """The image, up to its end. Phones append films, second images and notes of their own, which are no document."""
    place, framed, scanned = 2, False, False
    for _ in range(MOST_PARTS):
        marker = _JPEG_MARKER.match(content, place)
        if marker is None or (code := marker[1][0]) in _JPEG_BARE:
            break
        place = marker.end()
        if code == _JPEG_END:
            if framed and scanned:
                return content[:place]
            break
        length = int.from_bytes(content[place : place + 2])
        segment = content[place + 2 : place + length]
        if length < 2 or len(segment) < length - 2:
            break
        place += length
        if code in _JPEG_FRAMES:
            framed = _jpeg_frame(segment)
        elif code == _JPEG_SCAN:
            after = _JPEG_SCAN_END.search(content, place)
            if after is None or not framed:
                break
            place, scanned = after.start(), True
    raise ValueError("a imagem JPEG está incompleta ou danificada; salve-a de novo")


def _jpeg_frame(segment: bytes) -> bool:
    if len(segment) < 6:
        return False
    _precision, height, width, components = struct.unpack_from(">BHHB", segment)
    _refuse_huge(width, height)
    return bool(height and width and 1 <= components <= 4 and len(segment) == 6 + 3 * components)


def _refuse_huge(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise ValueError("a imagem tem dimensões grandes demais; reduza-a para até 100 megapixels")
