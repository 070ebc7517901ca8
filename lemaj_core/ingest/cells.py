"""What one cell holds: text, a number, a list of passages. Nothing is guessed beyond what its column is for.

"NA", "null", "None" and "001" are text where text is expected. Only JSON's null and NaN, and empty cells, are nothing.
"""

import ast
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from lemaj_core.text import normalise

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_LIST = re.compile(r"\s*\[.*\]\s*\Z", re.DOTALL)
_TEXT_KEYS = ("text", "content", "page_content", "passage", "answer", "output", "value", "snippet")
# Larger whole numbers are ids, and floating point would change their last digits.
_DIGITS = 15


def is_nothing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or text without any sign."""
    if isinstance(value, str):
        return not value or value.isspace()
    return value is None or (isinstance(value, float) and math.isnan(value))


def as_text(value: Any) -> str:
    """Give a cell as normalised text; lists are joined by line ends, numbers written as they are read."""
    if isinstance(value, str):
        return normalise(value)
    if is_nothing(value):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**_DIGITS:
        return str(int(value))
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        for key in _TEXT_KEYS:
            if isinstance(value.get(key), str):
                return normalise(value[key])
        return normalise(json.dumps(plain(value), ensure_ascii=False))
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return "\n".join(text for part in value if (text := as_text(part)))
    if isinstance(value, (bytes, bytearray)):
        return normalise(bytes(value).decode("utf-8", "replace"))
    return normalise(str(value))


def as_contexts(value: Any) -> tuple[str, ...]:
    """Give a cell as passages: a list, a list written as JSON or Python, or one text."""
    if is_nothing(value):
        return ()
    if isinstance(value, str) and _LIST.match(value):
        value = _written_list(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return tuple(text for part in value if not (text := as_text(part)).isspace() and text)
    return (as_text(value),)


def _written_list(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list) and all(isinstance(part, (str, dict)) for part in value):
            return value
    return text


class Number(NamedTuple):
    """A number as it was written: its value (None if it is none) and whether a percent sign was resolved."""

    value: float | None
    percent: bool = False


def as_number(value: Any) -> Number:
    """Read a number; "85 %" is 0.85, and a comma may stand for the point."""
    if isinstance(value, bool) or value is None:
        return Number(None)
    if isinstance(value, (int, float, Decimal)):
        number = float(value)
        return Number(number if math.isfinite(number) else None)
    return _read_number(str(value))


@lru_cache(maxsize=4096)
def _read_number(written: str) -> Number:
    text = written.strip().replace("\u2212", "-")
    percent = text.endswith("%")
    text = text.removesuffix("%").rstrip()
    if "." not in text and text.count(",") == 1:
        text = text.replace(",", ".")
    if not _NUMBER.match(text):
        return Number(None, percent)
    number = float(text) / 100 if percent else float(text)
    return Number(number if math.isfinite(number) else None, percent)


def plain(value: Any) -> Any:
    """Give a value as JSON knows it: NaN and infinity become None, dates text."""
    if isinstance(value, str):
        return normalise(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {as_text(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return as_text(value)


def settle(values: Sequence[Any]) -> list[Any] | None:
    """Decide the type of an extra column as a whole; None when it may stay as it is.

    All numbers, or all text that reads as numbers without leading zeros: numbers. Different types: text.
    """
    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    if kinds == {str}:
        if not all(_NUMBER.match(value) and not _LEADING_ZERO.match(value) for value in present):
            return None
        whole = all(_is_whole(value) for value in present)
        if any(sum(letter.isdigit() for letter in value) > _DIGITS for value in present):
            return None
        convert = int if whole else float
        return [None if value is None else convert(value) for value in values]
    if len(kinds) <= 1 or kinds <= {int, float} or kinds & {list, dict}:
        return None
    return [None if value is None else as_text(value) for value in values]


def _is_whole(value: str) -> bool:
    return value.lstrip("+-").isdigit()
