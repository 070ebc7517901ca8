"""Reads a model's reply: Legal Data Points, or the kind of failure and what was wrong, never an exception.

Pure. A reply is taken whole or not at all: one tag that was not offered, one id given twice or one object left open
and the reply is refused, because a verdict with a point missing is another verdict. Of several complete blocks the
last one counts, so that a draft or a text quoted before it cannot.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lemaj_core.judge.blocks import Block, OpenBlock, blocks
from lemaj_core.text import normalise
from lemaj_core.types import FailureKind, Tag

LONGEST = 1_000_000
MOST_POINTS = 1_000
MOST_EVIDENCE = 50

_THINKING = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_THOUGHT = re.compile(r"</(think|thinking|reasoning|thought)>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:I\s+(?:can(?:no|')t|cannot|am\s+(?:unable|not\s+able)|won't|will\s+not|must\s+decline|decline)"
    r"|I'm\s+(?:unable|not\s+able|sorry)|(?:I\s+apologi[sz]e|sorry),?\s+but|as\s+an\s+AI)\b",
    re.IGNORECASE,
)
_TAG_KEY = re.compile(r"""["'“]?\btag\b["'”]?\s*:""", re.IGNORECASE)
_REPLY_WORDS = re.compile(r"data_?\s?points|\btag\b", re.IGNORECASE)
_AROUND_TAG = " \t\r\n<>[](){}*_`\"'“”.:;,"


@dataclass(frozen=True, slots=True)
class ReadPoint:
    """One data point as the model gave it; nothing is located yet."""

    id: str
    text: str
    tag: Tag
    quote: str | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Readable:
    """A usable reply; ``repaired`` says that the JSON was broken and a library mended it."""

    points: tuple[ReadPoint, ...]
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply that cannot be used, with the kind of failure and a sentence that says what was wrong."""

    kind: FailureKind
    problem: str


class _Refused(ValueError):
    """A block that has the shape of a reply and breaks a rule."""


def parse(text: str | None, finish_reason: str | None = None) -> Readable | Unreadable:
    """Read one reply.

    Parameters
    ----------
    text : str or None
        What the model wrote, raw.
    finish_reason : str or None
        Why the model stopped, where it says so; "length" means it was cut off, "refusal" and "content_filter" that
        it would not answer.

    Returns
    -------
    Readable or Unreadable
        Points in the order of the reply. Ids are as given, or numbered where the model left them out; every tag is
        one of the four.

    Examples
    --------
    >>> parse('Here: {"data_points": [{"id": 1, "text": "Rent is monthly.", "tag": "Correct"}]}').points[0].tag
    <Tag.CORRECT: 'correct'>
    """
    if finish_reason in ("content_filter", "refusal"):
        return Unreadable(FailureKind.REFUSED, f"the model would not answer: {excerpt(text) or finish_reason}")
    if text is None or not text.strip("\ufeff \t\r\n"):
        if finish_reason == "length":
            return Unreadable(FailureKind.TRUNCATED, "the reply was cut off before its first word")
        return Unreadable(FailureKind.EMPTY, "the reply was empty")
    if len(text) > LONGEST:
        return Unreadable(
            FailureKind.MALFORMED, f"the reply has {len(text):,} characters; at most {LONGEST:,} are read"
        )
    body = without_thoughts(text.replace("\ufeff", ""))
    if body is None:
        return Unreadable(FailureKind.TRUNCATED, "the reply ends inside the model's reasoning, before any verdict")
    return _last_reply(body, finish_reason)


def without_thoughts(text: str) -> str | None:
    """Text behind a leading block of reasoning; None if the reasoning never ends."""
    opening = _THINKING.match(text)
    closing = _THOUGHT.search(text)
    if opening:
        return text[closing.end() :] if closing else None
    # Some servers swallow the opening tag. In a reply that begins with JSON or a fence the words are a quotation.
    if closing and not text.lstrip().startswith(("{", "[", "`")):
        return text[closing.end() :]
    return text


def _last_reply(text: str, finish_reason: str | None) -> Readable | Unreadable:
    last: Block | OpenBlock | None = None
    for block in blocks(text):
        if isinstance(block, Block):
            if _points_of(block.value) is not None:
                last = block
        elif _REPLY_WORDS.search(text, block.start):
            last = block
    if isinstance(last, OpenBlock):
        if last.broken:
            return Unreadable(FailureKind.MALFORMED, "the reply is not valid JSON")
        return Unreadable(FailureKind.TRUNCATED, "the reply ends before its JSON is complete")
    if last is None:
        return _without_json(text, finish_reason)
    if last.repaired:
        # Whether a mended block was whole cannot be known once the model was cut off, nor if a point got lost.
        if finish_reason == "length":
            return Unreadable(FailureKind.TRUNCATED, "the reply was cut off and its JSON is broken")
        found = len(_points_of(last.value) or ())
        if found != len(_TAG_KEY.findall(text[last.start : last.end])):
            return Unreadable(FailureKind.MALFORMED, "the reply is not valid JSON and cannot be mended without loss")
    try:
        return Readable(_read_points(_points_of(last.value) or ()), last.repaired)
    except _Refused as refusal:
        return Unreadable(FailureKind.MALFORMED, str(refusal))


def _without_json(text: str, finish_reason: str | None) -> Unreadable:
    if finish_reason == "length":
        return Unreadable(FailureKind.TRUNCATED, "the reply was cut off before its JSON began")
    if refusal(text):
        return Unreadable(FailureKind.REFUSED, f"the model would not answer: {excerpt(text)}")
    return Unreadable(FailureKind.MALFORMED, "the reply has no JSON object with data_points")


def refusal(text: str) -> bool:
    """Whether a reply opens with words by which a model declines."""
    return bool(_REFUSAL.search(text[:400].replace("\u2019", "'")))


def excerpt(text: str | None, longest: int = 160) -> str:
    """Give the beginning of a reply on one line."""
    words = " ".join(normalise(text or "").split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def by_letters(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Keys folded to their letters, so that "Data Points" and "dataPoints" are data_points."""
    return {_letters(key): content for key, content in value.items() if isinstance(key, str)}


@lru_cache(maxsize=256)
def _letters(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())


def _points_of(value: Any) -> Sequence[Any] | None:
    """List of points in a block that has the shape of a reply, else None; a shape without a list has no valid point."""
    if isinstance(value, dict):
        fields = by_letters(value)
        if "datapoints" not in fields:
            return None
        points = fields["datapoints"]
        return points if isinstance(points, list) else [points]
    if isinstance(value, list) and value and all(isinstance(one, dict) and "tag" in by_letters(one) for one in value):
        return value
    return None


def _read_points(points: Sequence[Any]) -> tuple[ReadPoint, ...]:
    if len(points) > MOST_POINTS:
        raise _Refused(f"the reply has {len(points):,} data points; at most {MOST_POINTS:,} are read")
    given = [_id(by_letters(point).get("id")) if isinstance(point, dict) else None for point in points]
    taken: set[str] = set()
    for one in given:
        if one is not None and one in taken:
            raise _Refused(f"the id {excerpt(one, 40)!r} is given to two data points")
        taken |= {one} if one is not None else set()
    read = []
    for number, (point, one) in enumerate(zip(points, given, strict=True), start=1):
        if one is None:
            one = next(str(free) for free in range(number, number + len(points) + 1) if str(free) not in taken)
            taken.add(one)
        read.append(_read_point(point, one, number))
    return tuple(read)


def _read_point(point: Any, one: str, number: int) -> ReadPoint:
    if not isinstance(point, dict):
        raise _Refused(f"data point {number} is not an object but {excerpt(repr(point), 40)}")
    fields = by_letters(point)
    tag = _tag(fields.get("tag"), number)
    quote = _string(fields.get("quote"))
    text = _string(fields.get("text")) or quote
    if not text:
        raise _Refused(f"data point {number} has no text")
    return ReadPoint(one, text, tag, quote or None, _string(fields.get("reason")), _evidence(fields.get("evidence")))


def _tag(value: Any, number: int) -> Tag:
    try:
        return Tag(value.strip(_AROUND_TAG).casefold())
    except (AttributeError, ValueError):
        offered = ", ".join(Tag)
        raise _Refused(
            f"data point {number} has the tag {excerpt(repr(value), 40)}; it must be one of {offered}"
        ) from None


def _id(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float):
        return None if not math.isfinite(value) else str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, int) and abs(value) >= 10**18:
        return None
    return normalise(str(value)).strip()[:100] or None


def _string(value: Any) -> str:
    return normalise(value).strip() if isinstance(value, str) else ""


def _evidence(value: Any) -> tuple[str, ...]:
    """Quotes of the document, however they are wrapped; the same one twice counts once."""
    wrapped = value if isinstance(value, list | tuple) else [value]
    quotes = [_string(by_letters(one).get("quote") if isinstance(one, dict) else one) for one in wrapped]
    return tuple(dict.fromkeys(quote for quote in quotes if quote))[:MOST_EVIDENCE]
