"""Numbers as lawyers write them: figures, words, and words with the figures in brackets after them.

Reading only: no number is compared here.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

_ONES = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen "
        "eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
} | {"fourty": 40}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT = {"k": 1000, "m": 10**6, "mm": 10**6, "mio": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9}
ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
}
_NAMES = "|".join(sorted([*_ONES, *_TENS, *_SCALES], key=len, reverse=True))
_POINT = rf"(?:\s+point(?:\s+(?:{'|'.join(_ONES)}))+)?"
_FIGURES = r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)|(?<![\w.])\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<words>\b(?:{_NAMES})(?:(?:[\s-]+(?:and\s+)?)(?:{_NAMES}))*{_POINT}\b)(?:\s*\(\s*(?P<both>{_FIGURES})(?P<bracket>[^()\d]{{0,12}})\))?"
    rf"|(?P<figures>{_FIGURES})(?:(?:\s*|-)(?P<scale>hundred|thousand|million|billion|trillion|bn|mn|mio|mm"
    rf"|[kKmM](?=\b))\b)?"
    rf"(?:\s*\(\s*(?P<spelled>(?:{_NAMES})(?:(?:[\s-]+(?:and\s+)?)(?:{_NAMES}))*)\s*\))?",
    re.IGNORECASE,
)


class Number(NamedTuple):
    """A number in a text. ``other`` is the second value when words and figures in brackets disagree."""

    value: Fraction
    start: int
    end: int
    text: str
    spelled: bool
    other: Fraction | None = None


def numbers(text: str) -> Iterator[Number]:
    """Yield the numbers of a text in order.

    Examples
    --------
    >>> [str(number.value) for number in numbers("thirty (30) days, $2.5 million, one hundred and five")]
    ['30', '2500000', '105']
    """
    for match in _NUMBER.finditer(text):
        if match["words"]:
            first = _spelled(match["words"])
            second = _figures(match["both"], None) if match["both"] else None
        else:
            first = _figures(match["figures"], match["scale"])
            second = _spelled(match["spelled"]) if match["spelled"] else None
        other = second if second is not None and second != first else None
        if other is not None and match["words"] and other * 1000 <= first:
            # "three million (3) dollars" is no contradiction that a reader would see as one.
            other = None
        yield Number(first, match.start(), match.end(), match.group(), bool(match["words"]), other)


def _figures(text: str, scale: str | None) -> Fraction:
    value = Fraction(text.replace(",", ""))
    if scale:
        value *= _SCALES.get(scale.lower()) or _SHORT[scale.lower()]
    return value


def _spelled(text: str) -> Fraction:
    text, _, decimals = text.lower().partition(" point ")
    if decimals:
        digits = "".join(str(_ONES[word]) for word in decimals.split())
        return _spelled(text) + Fraction(int(digits), 10 ** len(digits))
    total = part = 0
    for word in re.split(r"[\s-]+", text.lower()):
        if word in _ONES:
            part += _ONES[word]
        elif word in _TENS:
            part += _TENS[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _SCALES:
            total += max(part, 1) * _SCALES[word]
            part = 0
    return Fraction(total + part)
