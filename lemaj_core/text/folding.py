"""A folded twin of a text: what is equal for a reader is equal in it, and its offsets lead back to the original.

Folded away are case, runs of white space, the shapes of quotes and dashes, ligatures, markdown stars, footnote
marks and invisible characters. The original text is never changed.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

_ONE_TO_ONE = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`\u02bc\uff07", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d", "-"),
    }
)
_LONGER = {
    "\u2026": "...",
    "\u0130": "i",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\u00df": "ss",
    "\u1e9e": "ss",
    "''": '"',
}
_INVISIBLE = "\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff"
_LIGATURES = "".join(key for key in _LONGER if len(key) == 1)
# White space with what may stand in it; one plain space alone needs no change and is left out for speed.
_CHANGED = re.compile(rf"(?! [^\s*_\[{_INVISIBLE}])(?:[\s*_{_INVISIBLE}]|\[\d{{1,3}}\])+|[{_LIGATURES}]|''")
_LONG = 5000


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text with the anchors between its offsets and those of the original."""

    text: str
    inside: tuple[int, ...]
    outside: tuple[int, ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the original of ``text[start:end]``, which is not empty."""
        return self._start(start), self._end(end)

    def _start(self, at: int) -> int:
        index = bisect_right(self.inside, at) - 1
        limit = self.outside[index + 1] - 1 if index + 1 < len(self.outside) else self.outside[index] + at
        return max(self.outside[index], min(self.outside[index] + at - self.inside[index], limit))

    def _end(self, at: int) -> int:
        index = bisect_left(self.inside, at) - 1
        limit = self.outside[index + 1] if index + 1 < len(self.outside) else self.outside[index] + at
        return min(self.outside[index] + at - self.inside[index], limit)


def fold(text: str) -> Folded:
    """Fold a text. Long ones are remembered for a while, because many quotes are sought in one contract."""
    return _remembered(text) if len(text) >= _LONG else _fold(text)


def _fold(text: str) -> Folded:
    pieces: list[str] = []
    inside, outside = [0], [0]
    done = length = 0
    for match in _CHANGED.finditer(text):
        kept, found = text[done : match.start()], match.group()
        new = _LONGER.get(found)
        if new is None:
            new = " " if any(letter.isspace() for letter in found) else ""
        pieces += (kept, new)
        length += len(kept)
        done = match.end()
        inside += (length, length + len(new))
        outside += (match.start(), done)
        length += len(new)
    pieces.append(text[done:])
    # None of the remaining characters changes its length in lower case.
    return Folded("".join(pieces).translate(_ONE_TO_ONE).lower(), tuple(inside), tuple(outside))


_remembered = lru_cache(maxsize=16)(_fold)
