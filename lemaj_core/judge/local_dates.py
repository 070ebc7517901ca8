"""Dates in the forms that contracts use, whole or in part.

"8 May 2014", "May 8, 2014", "this 8th day of May, 2014", "2014-05-08", "5/8/2014", "May 2014", "30 June". A date of
figures only can mean two days; both are kept. No calendar arithmetic.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lemaj_core.judge.local_numbers import ORDINALS

_MONTHS = {
    name: number
    for number, name in enumerate(
        "january february march april may june july august september october november december".split(), start=1
    )
}
_SHORT = {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_MONTH = (
    r"(?P<month>" + "|".join([*_MONTHS, *(f"{short}\\.?" for short in sorted(_SHORT, key=len, reverse=True))]) + r")"
)
_DAY = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?|{'|'.join(ORDINALS)})"
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)"
_FORMS = [
    re.compile(rf"\b{_DAY}(?:\s+day)?(?:\s+of)?\s+{_MONTH}\b(?:,?\s+(?:of\s+)?{_YEAR}\b)?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY}\b(?!\s*(?:days|months|%))(?:\s*,?\s*{_YEAR}\b)?", re.IGNORECASE),
    re.compile(rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b", re.IGNORECASE),
    re.compile(r"\b(?P<year>(?:1[89]|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)\b"),
]
_FIGURES = re.compile(r"(?<![\d/.])(\d{1,2})([/.])(\d{1,2})\2((?:1[89]|20)\d\d|\d\d)(?![\d/])")
_LONE_YEAR = re.compile(
    r"(?<![\w.,/$€£-])(?:19[5-9]|20[0-9])\d(?![\w/%-]|[.,]\d|\s*(?:days|hours|square|shares|units|employees))"
)
_LONE_MONTH = re.compile(r"\b(January|February|April|June|July|August|September|October|November|December)\b")


class Day(NamedTuple):
    """A date; None for the parts that are not given. ``swapped`` marks a date of figures that can be read both ways."""

    year: int | None
    month: int | None
    day: int | None
    swapped: bool = False

    def fits(self, other: "Day") -> bool:
        """Whether both can be the same day: every part that both give is equal."""
        if self.swapped and self.day and self.month and self._fits(Day(self.year, self.day, self.month), other):
            return True
        if other.swapped and other.day and other.month and self._fits(self, Day(other.year, other.day, other.month)):
            return True
        return self._fits(self, other)

    @staticmethod
    def _fits(left: "Day", right: "Day") -> bool:
        return all(a is None or b is None or a == b for a, b in zip(left[:3], right[:3], strict=True))


def dates(text: str) -> Iterator[tuple[Day, int, int]]:
    """Yield the dates of a text with their spans."""
    taken: list[tuple[int, int]] = []
    for form in _FORMS:
        for match in form.finditer(text):
            if all(match.end() <= start or match.start() >= end for start, end in taken):
                day = _day(match.groupdict())
                if day is not None:
                    taken.append(match.span())
                    yield day, match.start(), match.end()
    for match in _FIGURES.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        if not (1 <= first <= 31 and 1 <= second <= 31 and min(first, second) <= 12):
            continue
        year += 2000 if year < 100 else 0
        taken.append(match.span())
        both = first <= 12 and second <= 12
        day = Day(year, first, second, both) if first <= 12 else Day(year, second, first)
        yield day, match.start(), match.end()
    for pattern in (_LONE_YEAR, _LONE_MONTH):
        for match in pattern.finditer(text):
            if all(match.end() <= start or match.start() >= end for start, end in taken):
                taken.append(match.span())
                word = match.group().lower()
                yield (Day(int(word), None, None) if word.isdigit() else Day(None, _MONTHS[word], None)), *match.span()


def _day(parts: dict[str, str | None]) -> Day | None:
    if (parts.get("month") or "").startswith("m"):
        return None  # "may 5 persons" is no date, and nobody writes march or may small
    name = (parts.get("month") or "").lower().rstrip(".")
    month = _MONTHS.get(name) or _SHORT.get(name) or int(parts.get("number") or 0) or None
    word = (parts.get("day") or "").lower()
    day = ORDINALS.get(word) or int(re.sub(r"\D", "", word) or 0) or None
    year = parts.get("year")
    if month is None or (day is not None and day > 31):
        return None
    return Day(int(year) if year else None, month, day)
