"""Splits an answer into an introduction, points and a closing, as spans, for the re-ranking of points.

Points are the items of a list if there is one with at least two; otherwise the sentences, without an introduction. It
reads form only and says nothing of content.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from lemaj_core.text import sentences

_ITEM = re.compile(
    r"^[ \t]*(?:[-*\u2022\u2013\u25e6]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])[ \t]+(?=\S)", re.MULTILINE
)
_LINE = re.compile(r"[^\n]+")


class Points(NamedTuple):
    """Spans of an answer; introduction and closing are empty (0 characters) where there is none."""

    intro: tuple[int, int]
    points: tuple[tuple[int, int], ...]
    closing: tuple[int, int]
    form: str

    def without(self, text: str, index: int | None = None) -> str:
        """Put the answer together again, without one point."""
        kept = [span for number, span in enumerate(self.points) if number != index]
        parts = (text[start:end].strip() for start, end in (self.intro, *kept, self.closing))
        return ("\n" if self.form == "list" else " ").join(part for part in parts if part)


def split(text: str) -> Points:
    r"""Find introduction, points and closing of an answer.

    Examples
    --------
    >>> split("Two steps:\n1. Look.\n2. Leap.\nConfidence: 80 percent.").points
    ((11, 19), (20, 28))
    """
    lines = [match.span() for match in _LINE.finditer(text) if match.group().strip()]
    heads = [place for place, (start, end) in enumerate(lines) if _ITEM.match(text[start:end])]
    if len(heads) < 2:
        found = tuple((start, end) for start, end in sentences.split(text) if text[start:end].strip())
        return Points((0, 0), found, (len(text), len(text)), "sentences")
    last = heads[-1]
    # Lines below an item that are no item belong to it, but those after the last item close the answer.
    points = [(lines[head][0], lines[following - 1][1]) for head, following in pairwise(heads)]
    points.append(lines[last])
    intro = (lines[0][0], lines[heads[0] - 1][1]) if heads[0] else (0, 0)
    closing = (lines[last + 1][0], lines[-1][1]) if last + 1 < len(lines) else (len(text), len(text))
    return Points(intro, tuple(points), closing, "list")
