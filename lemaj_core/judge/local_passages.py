"""A document cut into passages and encoded once, ready to be searched by the offline judge.

Units are sentences and list items (what is shown as evidence); chunks are a few units together (what the model reads
at once, so that a word is seen in its clause). Nothing here says whether a statement is true.
"""

import re
import threading
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lemaj_core.models.embed import Encoded, encoder
from lemaj_core.text.sentences import split

_CHUNK = 1400
_LONGEST = 1000
# Where a sentence that is too long for one unit may be cut: after a semicolon, else after a comma, else at a space.
_CUTS = (re.compile(r";\s+"), re.compile(r",\s+"), re.compile(r"\s+"))
_NUMBER = re.compile(
    r"\s*(?:(?:section|clause|article|paragraph)\s+)?(\d{1,3}(?:\.\d{1,3})*)(?:\.|\)|:)?(?=\s+\S)", re.IGNORECASE
)
_LETTER = re.compile(r"\s*(\([a-z]{1,4}\)|\([ivxl]{1,5}\)|[IVXL]{1,5}\.)(?=\s)")
_WORDS = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or list item of a document with its number, its chunk and its word pieces (first, last + 1)."""

    start: int
    end: int
    label: str
    chunk: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """An encoded document. ``firsts`` holds the first word piece of every chunk."""

    text: str
    units: tuple[Unit, ...]
    chunks: tuple[tuple[int, int], ...]
    tokens: np.ndarray
    pieces: np.ndarray
    spans: np.ndarray
    firsts: np.ndarray
    vectors: np.ndarray

    def words(self, unit: Unit) -> str:
        """Give the text of a unit."""
        return self.text[unit.start : unit.end]


_LOCK = threading.Lock()


def prepare(text: str) -> Passages:
    """Cut and encode a document; the last few documents are remembered."""
    # Answers about one contract are judged at the same time: the first one encodes it, the others wait.
    with _LOCK:
        return _prepared(text)


@lru_cache(maxsize=24)
def _prepared(text: str) -> Passages:
    spans = [piece for span in split(text) for piece in _pieces(text, *span)]
    groups = _grouped(text, spans)
    encoded = encoder().encode([text[group[0][0] : group[-1][1]] for group in groups])
    units: list[Unit] = []
    firsts: list[int] = []
    label, count = "", 0
    for number, (group, found) in enumerate(zip(groups, encoded, strict=True)):
        firsts.append(count)
        offset = group[0][0]
        for start, end in group:
            label = _label(text[start:end], label)
            inside = np.flatnonzero((found.spans[:, 0] >= start - offset) & (found.spans[:, 1] <= end - offset))
            if inside.size:
                units.append(Unit(start, end, label, number, count + int(inside[0]), count + int(inside[-1]) + 1))
        count += len(found.pieces)
    return Passages(
        text,
        tuple(units),
        tuple((group[0][0], group[-1][1]) for group in groups),
        _stack([found.tokens for found in encoded]),
        np.concatenate([found.pieces for found in encoded]) if encoded else np.zeros(0, dtype=np.int64),
        _shifted(groups, encoded),
        np.array(firsts, dtype=np.int64),
        _stack([found.vector[None] for found in encoded]),
    )


def _stack(arrays: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.zeros((0, 1), dtype=np.float32)


def _shifted(groups: list[list[tuple[int, int]]], encoded: list[Encoded]) -> np.ndarray:
    moved = [found.spans + group[0][0] for group, found in zip(groups, encoded, strict=True)]
    return np.concatenate(moved) if moved else np.zeros((0, 2), dtype=np.int64)


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a span that the model could not read at once."""
    pieces = []
    while end - start > _LONGEST:
        window = text[start : start + _LONGEST]
        cuts = ([match.end() for match in cut.finditer(window)][-1:] for cut in _CUTS)
        at = next((found[0] for found in cuts if found and found[0] > _LONGEST // 3), _LONGEST)
        pieces.append((start, start + len(window[:at].rstrip())))
        start += at
    return [*pieces, (start, end)]


def _grouped(text: str, spans: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    groups: list[list[tuple[int, int]]] = []
    for start, end in spans:
        # A short line without a full stop is a heading: it opens a chunk and stays with what follows.
        heading = end - start < 70 and text[end - 1] not in ".;:,"
        open_group = groups[-1] if groups else None
        if open_group and end - open_group[0][0] <= _CHUNK and not (heading and len(open_group) > 1):
            open_group.append((start, end))
        else:
            groups.append([(start, end)])
    return groups


def _label(unit: str, current: str) -> str:
    if found := _NUMBER.match(unit):
        return f"Section {found.group(1)}"
    if current and (found := _LETTER.match(unit)):
        return re.sub(r"\(.*\Z", "", current) + found.group(1) if found.group(1).startswith("(") else current
    return current
