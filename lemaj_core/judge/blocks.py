"""Finds the JSON blocks in what a model wrote and reads each one, strictly first and then more kindly.

Pure text work that knows brackets and strings, and nothing of data points. It never closes a block that the model
left open: whether a block is complete is decided before anything is repaired.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

DEEPEST = 40
_STRICT = json.JSONDecoder(strict=False)
_REPAIRABLE = 200_000
_MOST_BROKEN = 20

# Where a block can begin: an object or a list as JSON, Python and JavaScript write them; not a brace in prose.
_HEAD = re.compile(r"""\{\s*(?:["'“]|data_points\b|\})|\[\s*(?:\{|\])""")
_CLOSES_SINGLE = re.compile(r"\s*[,:\]}]")


@dataclass(frozen=True, slots=True)
class Block:
    """One JSON block: where it stands, its value, and whether it had to be repaired to be read."""

    start: int
    end: int
    value: Any
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class OpenBlock:
    """A block that begins and never ends, or that cannot be read (``broken``)."""

    start: int
    broken: bool = False


def blocks(text: str) -> Iterator[Block | OpenBlock]:
    """Top-level blocks of a text in order; stops after a block that never ends, since all that follows is inside it."""
    position, failures = 0, 0
    while failures < _MOST_BROKEN and (head := _HEAD.search(text, position)):
        start = head.start()
        try:
            value, position = _STRICT.raw_decode(text, start)
            yield Block(start, position, value)
            continue
        except (ValueError, RecursionError):
            pass  # not JSON as it should be: its end is sought without a parser
        end, depth = _matching(text, start)
        if end is None and (end := _balanced(text, start)) is None:
            yield OpenBlock(start)
            return
        found = _read(text[start:end]) if depth <= DEEPEST else None
        if found is None:
            failures += 1
            yield OpenBlock(start, broken=True)
        else:
            yield Block(start, end, *found)
        position = end


def _matching(text: str, start: int) -> tuple[int | None, int]:
    """Offset behind the bracket that closes the one at ``start`` (None if none does), and the greatest depth."""
    opened: list[str] = []
    deepest = 0
    position, size = start, len(text)
    while position < size:
        letter = text[position]
        if letter in "{[":
            opened.append(letter)
            deepest = max(deepest, len(opened))
        elif letter in "}]":
            if not opened or (opened.pop() == "{") != (letter == "}"):
                return None, deepest
            if not opened:
                return position + 1, deepest
        elif letter == '"':
            position = _string_end(text, position)
        elif letter == "'" and _before(text, position) in "{[,:":
            position = _single_end(text, position)
        position += 1
    return None, deepest


def _before(text: str, position: int) -> str:
    """Return the last character before ``position`` that is not white space."""
    position -= 1
    while position >= 0 and text[position].isspace():
        position -= 1
    return text[position] if position >= 0 else ""


def _string_end(text: str, position: int) -> int:
    """Offset of the quotation mark that ends the JSON string opened at ``position``, or the end of the text."""
    while True:
        position += 1
        if position >= len(text) or text[position] == '"':
            return position
        if text[position] == "\\":
            position += 1


def _single_end(text: str, position: int) -> int:
    """Like :func:`_string_end` for single quotes, where an apostrophe inside a word ends nothing."""
    while True:
        position += 1
        if position >= len(text):
            return position
        if text[position] == "\\":
            position += 1
        elif text[position] == "'" and _CLOSES_SINGLE.match(text, position + 1):
            return position


def _balanced(text: str, start: int) -> int | None:
    """End of a block whose strings cannot be followed (bare quotation marks inside): only if all brackets add up."""
    end = max(text.rfind("}"), text.rfind("]")) + 1
    segment = text[start:end]
    whole = segment.count("{") == segment.count("}") and segment.count("[") == segment.count("]")
    return end if segment and whole and (segment[0] == "{") == (segment[-1] == "}") else None


def _read(segment: str) -> tuple[Any, bool] | None:
    """Value of a complete block that is no JSON, and whether the repair library was needed; None if unreadable."""
    if len(segment) > _REPAIRABLE:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\\d" in a Python string warns, and is not worth a word here
            value = ast.literal_eval(segment)
        if isinstance(value, dict | list):
            return value, False
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    return _repair(segment)


def _repair(segment: str) -> tuple[Any, bool] | None:
    import json_repair

    try:
        value = json_repair.loads(segment)
    except Exception:  # the library promises to accept anything; a reply must not be able to prove it wrong
        return None
    return (value, True) if isinstance(value, dict | list) else None
