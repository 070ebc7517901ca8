"""Text of answers and contracts as escaped HTML with marks in place: the one place where HTML is built.

Every piece of text passes :func:`escape`, every tag comes from :func:`element`; the cards of the Answers page
(``components.cards``) are made of these two and of nothing else. The text itself is never rewritten: what is left when
the tags are taken away is the input, character for character. Imports no Streamlit, asks no store, decides no score.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from components.palette import style
from lemaj_core.types import DataPoint, Tag

# What covers what when two points share their words: the reader must not miss the worse one.
SEVERITY = (Tag.INCORRECT, Tag.MISSING, Tag.IRRELEVANT, Tag.CORRECT, None)
# Neither can be sent to a browser; one character each, so that offsets stay right.
UNSENDABLE = re.compile("[\ud800-\udfff\x00]")
TOGETHER = 40


class Html(str):
    """Markup that was built here. Any other string is text and is escaped where it goes into markup."""

    __slots__ = ()


class Span(NamedTuple):
    """Words to be marked: ``number`` is the place of the point among the points of its answer, from 1."""

    start: int
    end: int
    number: int
    tag: Tag | None
    note: str = ""


class Segment(NamedTuple):
    """A stretch of text covered by the same spans from end to end."""

    start: int
    end: int
    spans: tuple[Span, ...]


def escape(text: object) -> Html:
    """Turn text into markup that shows exactly this text."""
    if isinstance(text, Html):
        return text
    sendable = UNSENDABLE.sub("\N{REPLACEMENT CHARACTER}", str(text))
    # A browser turns a bare carriage return into a newline; written as a reference it stays.
    return Html(html.escape(sendable, quote=True).replace("\r", "&#13;"))


def element(tag: str, *children: object, attributes: Mapping[str, object] | None = None) -> Html:
    """Build one element; children that are not :class:`Html` and all attribute values are escaped, None is left out."""
    named = "".join(
        f' {name}="{escape(str(value))}"' for name, value in (attributes or {}).items() if value is not None
    )
    inside = "".join(escape(child) for child in children if child is not None)
    return Html(f"<{tag}{named}>{inside}</{tag}>")


def tag_class(tag: Tag | None) -> str:
    """Class name that carries the colour and the underline of a tag."""
    return f"lj-{tag or 'untagged'}"


def located(point: DataPoint, text: str) -> bool:
    """Whether the point stands in this text: offsets inside it and, where a quote was kept, the same words."""
    if point.start is None or point.end is None or not 0 <= point.start < point.end <= len(text):
        return False
    return point.quote is None or text[point.start : point.end] == point.quote


def point_spans(points: Sequence[DataPoint], text: str, tags: Mapping[str, Tag | None] | None = None) -> list[Span]:
    """Spans of the points that stand in the answer; ``tags`` replaces tags by point id (the playground's flips)."""
    flips = tags or {}
    return [
        Span(point.start, point.end, number, flips.get(point.id, point.tag), point.reason)  # type: ignore[arg-type]
        for number, point in enumerate(points, start=1)
        if located(point, text)
    ]


def evidence_spans(
    points: Sequence[DataPoint],
    text: str,
    document_id: str | None = None,
    tags: Mapping[str, Tag | None] | None = None,
) -> list[Span]:
    """Spans of the passages that the points' judge points at in this document."""
    flips = tags or {}
    return [
        Span(piece.start, piece.end, number, flips.get(point.id, point.tag), point.text)
        for number, point in enumerate(points, start=1)
        for piece in point.evidence
        if piece.start is not None and piece.end is not None
        if piece.document_id in (None, document_id) and 0 <= piece.start < piece.end <= len(text)
    ]


def segments(length: int, spans: Iterable[Span]) -> list[Segment]:
    """Cut a text of this length wherever a span begins or ends; the pieces join to the whole text.

    Overlapping and nested spans give pieces that carry several spans, so that marks never cross each other.
    """
    kept = [span for span in spans if 0 <= span.start < span.end <= length]
    edges = sorted({0, length, *(span.start for span in kept), *(span.end for span in kept)})
    return [
        Segment(start, end, tuple(span for span in kept if span.start <= start and end <= span.end))
        for start, end in pairwise(edges)
    ]


def marked(
    text: str,
    spans: Sequence[Span],
    *,
    chosen: int | None = None,
    window: tuple[int, int] | None = None,
    only_chosen: bool = False,
) -> Html:
    """Escaped text with a ``<mark>`` around every marked piece.

    Parameters
    ----------
    text : str
        Any text; it comes out as it went in.
    spans : sequence of Span
        What to mark; spans outside the text are left out.
    chosen : int, optional
        Number of the point that is shown stronger; its first piece is where a scrolled panel opens.
    window : (int, int), optional
        Show only this part of the text.
    only_chosen : bool
        Leave the other points' words quiet: marked for the pointer, without colour.

    Returns
    -------
    Html
        Per marked piece one ``mark``, and per point one empty ``sup`` before its first piece, which holds its sign
        and number for the eye (drawn by CSS, so that it is never copied as text) and its word for screen readers.
    """
    low, high = window or (0, len(text))
    pieces: list[Html] = []
    seen: set[int] = set()
    for segment in segments(len(text), spans):
        start, end = max(segment.start, low), min(segment.end, high)
        if start >= end:
            continue
        words = escape(text[start:end])
        if segment.spans:
            new = [span for span in segment.spans if span.number not in seen]
            seen.update(span.number for span in new)
            words = _mark(words, segment.spans, _unique(new), chosen=chosen, only_chosen=only_chosen)
        pieces.append(words)
    return Html("".join(pieces))


def _unique(spans: Iterable[Span]) -> list[Span]:
    """One span per point: a point may quote the same clause twice."""
    return list({span.number: span for span in spans}.values())


def _mark(words: Html, spans: tuple[Span, ...], new: list[Span], *, chosen: int | None, only_chosen: bool) -> Html:
    front = min(
        spans, key=lambda span: (span.number != chosen, span.end - span.start, SEVERITY.index(span.tag), span.number)
    )
    is_chosen = front.number == chosen
    classes = ["lj-mark", tag_class(front.tag)]
    if len({span.number for span in spans}) > 1:
        classes.append("lj-shared")
    if is_chosen:
        classes.append("lj-chosen")
    elif only_chosen:
        classes.append("lj-quiet")
    numbers = " ".join(str(number) for number in dict.fromkeys([front.number, *(span.number for span in spans)]))
    badges = [badge(span.number, span.tag, here=is_chosen and span.number == chosen) for span in new]
    note = "\n".join(_note(span) for span in _unique(spans))
    return element("mark", *badges, words, attributes={"class": " ".join(classes), "data-n": numbers, "title": note})


def _note(span: Span) -> str:
    said = f": {span.note}" if span.note else ""
    look = style(span.tag)
    return f"{look.icon} {span.number} {look.word}{said}"


def badge(number: int, tag: Tag | None, *, here: bool = False) -> Html:
    """Sign and number of a point. Empty on purpose: a sign that were text would be copied with the answer."""
    look = style(tag)
    return element(
        "sup",
        attributes={
            "class": f"lj-badge {tag_class(tag)}{' lj-here' if here else ''}",
            "role": "img",
            "aria-label": f"Point {number}, {look.word}. ",
            "data-badge": f"{look.icon}{number}",
        },
    )


def text_block(inside: Html | str, *, name: str, label: str | None = None) -> Html:
    """Lay text out as written (``pre-wrap``); directions of other scripts stay inside the block."""
    return element("div", inside, attributes={"class": f"lj-text lj-{name}", "dir": "auto", "aria-label": label})


def passage(text: str, focus: tuple[int, int] | None, *, room: int) -> tuple[int, int]:
    """Part of a long text, at most ``room`` characters around the focus, cut at line ends where there are any near."""
    if len(text) <= room:
        return 0, len(text)
    middle = sum(focus) // 2 if focus else 0
    start = max(0, min(middle - room // 2, len(text) - room))
    end = start + room
    line = text.find("\n", start, start + room // 10)
    if start and line >= 0 and (focus is None or line < focus[0]):
        start = line + 1
    line = text.rfind("\n", end - room // 10, end)
    if end < len(text) and line >= 0 and (focus is None or line >= focus[1]):
        end = line
    return start, end


def paper(
    text: str,
    spans: Sequence[Span],
    *,
    chosen: int | None = None,
    room: int = 60_000,
    label: str,
    only_chosen: bool = False,
) -> Html:
    """Lay a contract out in a frame of its own that opens at the chosen point's evidence.

    The frame scrolls by itself: its only snap point is the evidence, and the snapping ends when it has arrived (CSS,
    ``lj-arrive``), so no script is needed. Of a very long contract only ``room`` characters around the evidence are
    sent.
    """
    focus = next(((span.start, span.end) for span in spans if span.number == chosen), None)
    low, high = passage(text, focus, room=room)
    inside = [
        _cut(low, "above") if low else None,
        text_block(marked(text, spans, chosen=chosen, window=(low, high), only_chosen=only_chosen), name="contract"),
        _cut(len(text) - high, "below") if high < len(text) else None,
    ]
    return element(
        "div", *inside, attributes={"class": "lj-paper", "tabindex": 0, "role": "region", "aria-label": label}
    )


def _cut(characters: int, where: str) -> Html:
    return element("p", f"… {characters:,} characters {where} are not shown", attributes={"class": "lj-cut"})


@lru_cache(maxsize=1)
def stylesheet() -> Html:
    """Colours of the tags from the palette, the look from ``markup.css``, and marks that light up together."""
    tags = [
        f".lj-{name}{{--c:{look.colour};--u:{look.underline}}}"
        for name, look in [*((str(tag), style(tag)) for tag in Tag), ("untagged", style(None))]
    ]
    # Pointing at a point lights up its words in the answer and its evidence in the contract.
    pairs = [
        f'.st-key-lj_reading:has([data-n~="{n}"]:hover) [data-n~="{n}"]{{outline:1.5px solid var(--c)}}'
        for n in range(1, TOGETHER + 1)
    ]
    root = (
        ":root{--accent:light-dark(#2B5C9E,#8FB8EE);--line:color-mix(in srgb,currentColor 18%,transparent)}"
        ".lj-row,.lj-tile,.lj-point,.lj-paper,.lj-head{--line:color-mix(in srgb,currentColor 18%,transparent)}"
    )
    look = Path(__file__).with_name("markup.css").read_text(encoding="utf-8")
    return Html("<style>" + "\n".join([root, *tags, *pairs, look]) + "</style>")
