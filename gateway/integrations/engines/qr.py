"""QR codes of Pix payloads as PNG, fast enough to draw one for every response.

The symbol equals that of the `qrcode` package with error correction M and mask 0 (the tests compare them), from that
package's tables. The fixed modules, the mask and the position of each bit are the same for all symbols of a version. A
`_Template` caches them, so a symbol costs one gather, one exclusive or and one compression.

A fixed mask is valid, because the symbol encodes its mask (ISO/IEC 18004 §7.8). Trying all eight is slow.
"""

import struct
import zlib
from base64 import b64encode
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import accumulate, chain, cycle, islice, zip_longest
from operator import itemgetter
from typing import Final

from msgspec import Struct
from qrcode import QRCode, base, util
from qrcode.constants import ERROR_CORRECT_M

_MASK: Final = 0
_QUIET_ZONE: Final = 4  # Light modules on each side of a symbol (ISO/IEC 18004 §6.3.8).
_SCALE: Final = 8  # Pixels per module. With 1 bit per pixel, one line of a module is exactly one byte.

_CAPACITIES: Final[list[int]] = util.BIT_LIMIT_TABLE[ERROR_CORRECT_M]  # Bits of data by version, 1 to 40.
_VERSION_BANDS: Final = ((1, 9), (10, 26), (27, 40))  # Within a band, the counts of characters are equally wide.
_PADDING: Final = (util.PAD0, util.PAD1)


@lru_cache(4096)  # About 1.5 kB each. Dashboard and checkout show a pending charge many times.
def data_url(payload: str) -> str:
    """Return `png(payload)` as a `data:image/png;base64,…` URL. Memoised."""
    return "data:image/png;base64," + b64encode(png(payload)).decode("ascii")


def png(payload: str) -> bytes:
    """Draw the QR code of a payload as a PNG, black on white, 8 pixels per module with the quiet zone around it.

    A BR Code of 200 characters becomes a version 10 symbol, 520 pixels wide. Raises ValueError for a text that the
    largest symbol cannot hold (2,331 bytes).
    """
    version, codewords = _codewords(payload)
    template = _template(version)
    return _picture(template.width, template.pixels(codewords))


# ---- Text to codewords


class _BitStream:
    """Bits in one growing integer; `put` is the method that `qrcode` needs."""

    def __init__(self) -> None:
        self.value = 0
        self.length = 0

    def put(self, number: int, length: int) -> None:
        self.value = self.value << length | number
        self.length += length


def _codewords(text: str) -> tuple[int, bytes]:
    """Return the smallest version that holds the text, and its data codewords, padded to fill it."""
    segments = list(util.optimal_data_chunks(text, minimum=20))
    for first, last in _VERSION_BANDS:
        stream = _stream(segments, util.mode_sizes_for_version(first))
        version = bisect_left(_CAPACITIES, stream.length, first)
        if version <= last:
            return version, _padded(stream, _CAPACITIES[version])
    raise ValueError("The text does not fit a QR code.")


def _stream(segments: Iterable[util.QRData], count_widths: dict[int, int]) -> _BitStream:
    stream = _BitStream()
    for segment in segments:
        stream.put(segment.mode, 4)
        stream.put(len(segment), count_widths[segment.mode])
        if segment.mode == util.MODE_8BIT_BYTE:
            stream.put(int.from_bytes(segment.data, "big"), 8 * len(segment))  # All at once, not byte by byte.
        else:
            segment.write(stream)
    return stream


def _padded(stream: _BitStream, capacity: int) -> bytes:
    """Close a stream with its terminator (up to four zeros), whole bytes and the alternating padding."""
    stream.put(0, min(4, capacity - stream.length))
    stream.put(0, -stream.length % 8)
    codewords = stream.value.to_bytes(stream.length // 8, "big")
    return codewords + bytes(islice(cycle(_PADDING), capacity // 8 - len(codewords)))


# ---- Error correction


def _error_correction(block: bytes, count: int) -> bytes:
    """Divide a block by the Reed–Solomon generator of `count` codewords and return the remainder.

    A CRC's long division over GF(256): the remainder is one integer, the table has the multiples to subtract.
    """
    multiples = _generator_multiples(count)
    top = 8 * (count - 1)
    rest = (1 << top) - 1
    remainder = 0
    for codeword in block:
        remainder = (remainder & rest) << 8 ^ multiples[remainder >> top ^ codeword]
    return remainder.to_bytes(count, "big")


@cache
def _generator_multiples(count: int) -> tuple[int, ...]:
    """The generator polynomial of degree `count`, less its leading 1, times each of the 256 elements of the field."""
    generator = base.Polynomial([1], 0)
    for power in range(count):
        generator *= base.Polynomial([1, base.gexp(power)], 0)
    logarithms = [base.glog(coefficient) for coefficient in generator][1:]
    return (0, *(_as_integer(base.gexp(base.glog(factor) + log) for log in logarithms) for factor in range(1, 256)))


def _as_integer(codewords: Iterable[int]) -> int:
    return int.from_bytes(bytes(codewords), "big")


# ---- Codewords to pixels

_BITS_TO_BYTES: Final = bytes.maketrans(b"01", b"\x00\xff")


class _Template(Struct, frozen=True):
    """What all symbols of a version share, with the quiet zone. A pixel is a byte, light is 0xFF."""

    width: int  # Modules on a side.
    blocks: tuple[slice, ...]  # How the data codewords are cut for error correction,
    error_codewords: int  # and how many of these each block gets.
    gather: Callable[[bytes], tuple[int, ...]]  # From all bits in the order of the blocks to one for each module.
    overlay: int  # The fixed modules and the mask.

    def pixels(self, data: bytes) -> bytes:
        """Place data codewords: `width` bytes for each line of modules."""
        corrections = (_error_correction(data[block], self.error_codewords) for block in self.blocks)
        codewords = data + b"".join(corrections)
        # One extra zero bit, for the modules without data.
        bits = f"{int.from_bytes(codewords, 'big') << 1:0{8 * len(codewords) + 1}b}"
        placed = bytes(self.gather(bits.encode("ascii").translate(_BITS_TO_BYTES)))
        return (int.from_bytes(placed, "big") ^ self.overlay).to_bytes(len(placed), "big")


@cache
def _template(version: int) -> _Template:
    blocks = base.rs_blocks(version, ERROR_CORRECT_M)
    data = [block.data_count for block in blocks]
    errors = [block.total_count - block.data_count for block in blocks]
    order = [*_interleaved(data, 0), *_interleaved(errors, sum(data))]

    empty, full = _drawn(version, b""), _drawn(version, b"\xff" * len(order))
    side, width = len(empty), len(empty) + 2 * _QUIET_ZONE
    free = ((row, column) for row, column in _zigzag(side) if empty[row][column] != full[row][column])
    bits = (8 * codeword + bit for codeword in order for bit in range(8))

    sources = [8 * len(order)] * width**2
    overlay = bytearray(b"\xff" * width**2)
    for (row, column), bit in zip(free, bits, strict=True):
        sources[(row + _QUIET_ZONE) * width + column + _QUIET_ZONE] = bit
    for row, line in enumerate(empty):
        start = (row + _QUIET_ZONE) * width + _QUIET_ZONE
        overlay[start : start + side] = bytes(0 if dark else 0xFF for dark in line)
    return _Template(
        width=width,
        blocks=tuple(slice(end - count, end) for count, end in zip(data, accumulate(data), strict=True)),
        error_codewords=errors[0],
        gather=itemgetter(*sources),
        overlay=_as_integer(overlay),
    )


def _interleaved(counts: list[int], first: int) -> Iterator[int]:
    """The order in which a symbol takes codewords: the first of every block, the second of every block, …"""
    starts = accumulate(counts, initial=first)
    blocks = (range(start, start + count) for start, count in zip(starts, counts, strict=False))
    return (codeword for codeword in chain.from_iterable(zip_longest(*blocks)) if codeword is not None)


def _drawn(version: int, codewords: bytes) -> list[list[bool]]:
    """Let `qrcode` draw a symbol of these codewords. Without any, what is left is the fixed modules and the mask."""
    symbol = QRCode(version=version, error_correction=ERROR_CORRECT_M, border=0)
    symbol.data_cache = codewords
    symbol.makeImpl(False, _MASK)
    modules: list[list[bool]] = symbol.get_matrix()
    return modules


def _zigzag(side: int) -> Iterator[tuple[int, int]]:
    """The way of the bits: pairs of columns from the right, up and down in turn, around
    the timing pattern in column 6.
    """
    upwards = True
    for right in (*range(side - 1, 6, -2), 5, 3, 1):
        for row in range(side - 1, -1, -1) if upwards else range(side):
            yield row, right
            yield row, right - 1
        upwards = not upwards


# ---- Pixels to PNG


def _picture(width: int, pixels: bytes) -> bytes:
    """Write a PNG of `width` modules a side (RFC 2083), each `_SCALE` pixels square, from one byte per module."""
    # Eight 1-bit pixels are a byte, so a line of modules is a line of the image, after the filter byte.
    lines = b"".join((b"\x00" + pixels[at : at + width]) * _SCALE for at in range(0, len(pixels), width))
    header = struct.pack(">IIBBBBB", width * _SCALE, width * _SCALE, 1, 0, 0, 0, 0)
    # Level 4 is a little slower than level 1, and halves the image in responses and webhooks.
    image = zlib.compress(lines, 4)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", image) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
