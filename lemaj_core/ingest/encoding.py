"""Which encoding a text file has: a byte order mark, UTF-8, UTF-16 without a mark, Windows-1252, else a guess.

Reads in pieces, so that a large file need not fit into memory. Says in one sentence whatever was not certain.
Latin-1 is never chosen: it would turn curly quotes into control characters without an error.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from lemaj_core.errors import IngestError

_PIECE = 1 << 20
_SAMPLE = 1 << 16
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters that no text has; a form feed, a tab and line ends are text.
_CONTROLS = frozenset(range(32)) - {9, 10, 11, 12, 13, 27, 28, 29, 30, 31}


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a file, what to do with bytes that do not fit, and what its owner should know."""

    name: str
    errors: str = "strict"
    note: str | None = None


def decode(data: bytes, name: str) -> tuple[str, Encoding]:
    """Decode the bytes of a text file called ``name``."""
    encoding = detect(BytesIO(data), name)
    return data.decode(encoding.name, encoding.errors), encoding


def detect(stream: BinaryIO, name: str) -> Encoding:
    """Find the encoding of a file called ``name``, read from its beginning.

    Raises
    ------
    IngestError
        If the file is no text, or damaged UTF-16.
    """
    head = stream.read(_SAMPLE)
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            if encoding == "utf-8-sig" and not _decodes(stream, encoding):
                break
            if not _decodes(stream, encoding):
                raise IngestError(
                    f"{name}: begins like {encoding.upper()} but is damaged. Save it again as CSV UTF-8 or as TXT."
                )
            return Encoding(encoding)
    if wide := _without_mark(head):
        if _decodes(stream, wide):
            return Encoding(wide, note=f"{name} was read as {wide.upper()}; it has no byte order mark")
        raise IngestError(f"{name}: looks like {wide.upper()} but is damaged. Save it again as UTF-8.")
    if _is_binary(head):
        raise IngestError(f"{name}: this is no text file, whatever its name says. Save it as CSV, TXT or XLSX first.")
    if _decodes(stream, "utf-8"):
        return Encoding("utf-8")
    return _not_utf8(stream, name)


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    stream.seek(0)
    while piece := stream.read(_PIECE):
        yield piece


def _decodes(stream: BinaryIO, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in _pieces(stream):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _without_mark(head: bytes) -> str | None:
    # Latin letters in UTF-16 have a zero in every other byte.
    even, odd = head[0::2], head[1::2]
    if len(head) < 4:
        return None
    if odd.count(0) > 0.4 * len(odd) and even.count(0) < 0.05 * len(even):
        return "utf-16-le"
    if even.count(0) > 0.4 * len(even) and odd.count(0) < 0.05 * len(odd):
        return "utf-16-be"
    return None


def _is_binary(head: bytes) -> bool:
    return sum(head.count(control) for control in _CONTROLS) > max(2, 0.01 * len(head))


def _not_utf8(stream: BinaryIO, name: str) -> Encoding:
    broken, whole = _utf8_share(stream)
    if whole > 2 * broken:
        note = f"{name} was read as UTF-8; {broken} bytes do not fit and are shown as \ufffd. Save it again as UTF-8"
        return Encoding("utf-8", "replace", note)
    if _decodes(stream, "cp1252"):
        note = f"{name} was decoded as cp1252 (Windows). If letters look wrong, save it as UTF-8"
        return Encoding("cp1252", note=note)
    from charset_normalizer import from_bytes

    stream.seek(0)
    best = from_bytes(stream.read(_SAMPLE)).best()
    if best is not None and _decodes(stream, best.encoding):
        note = f"{name} was decoded as {best.encoding}, which is a guess. If letters look wrong, save it as UTF-8"
        return Encoding(best.encoding, note=note)
    raise IngestError(f"{name}: its encoding was not recognised. Save it as UTF-8.")


def _utf8_share(stream: BinaryIO) -> tuple[int, int]:
    """Count the bytes that are not UTF-8 and the letters beyond ASCII that are."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    broken = whole = 0
    for piece in _pieces(stream):
        text = decoder.decode(piece)
        if not text.isascii():
            beyond = [letter for letter in text if letter > "\x7f"]
            escaped = sum("\udc80" <= letter <= "\udcff" for letter in beyond)
            broken, whole = broken + escaped, whole + len(beyond) - escaped
    return broken, whole
