"""Whether two values are the same, and how alike the words around them are.

"one month" and "30 days" may be the same; "30 days" and "30 business days" are not. Values of different kinds are
never the same.
"""

from fractions import Fraction
from math import exp

from lemaj_core.judge.local_clauses import Clause
from lemaj_core.judge.local_dates import Day
from lemaj_core.judge.local_facts import Fact, Kind
from lemaj_core.judge.local_words import content

_MINUTES = {
    name: Fraction(minutes)
    for name, minutes in (("minute", 1), ("hour", 60), ("day", 1440), ("week", 10080), ("fortnight", 20160))
} | {"second": Fraction(1, 60)}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_WINDOW = 90
_FADING = 25.0
_AFTER = 0.5
# "below 99 %" may be the breach of "at least 99 %": only limits of one sort contradict each other.
_CLASHES = {("<=", ">="), ("<", ">")}


def same(left: Fact, right: Fact) -> bool:
    """Whether two facts can state the same value."""
    if left.kind is not right.kind:
        # "the second anniversary" is written for "two years", "twelve (12) months" as a count for "12".
        return {left.kind, right.kind} == {Kind.DURATION, Kind.COUNT} and left.value == right.value
    if isinstance(left.value, Day) and isinstance(right.value, Day):
        return left.value.fits(right.value)
    if left.kind is Kind.DURATION:
        return _same_period(left, right)
    if left.kind is Kind.SECTION:
        one, two = str(left.value), str(right.value)
        return left.unit == right.unit and (
            one == two or one.startswith((two + ".", two + "(")) or two.startswith((one + ".", one + "("))
        )
    if left.kind is Kind.AMOUNT:
        return left.value == right.value and left.unit == right.unit
    if "clock" in (left.unit, right.unit):
        return left.unit == right.unit and left.value == right.value
    return left.value == right.value


def _same_period(left: Fact, right: Fact) -> bool:
    one, two = _length(left), _length(right)
    if one[0] == two[0]:
        return one[1] == two[1]
    if "business" in (one[0], two[0]):
        return False
    minutes, months = (one[1], two[1]) if one[0] == "minutes" else (two[1], one[1])
    days = minutes / 1440
    return months * 28 <= days <= months * 31 if months < 12 else months * 30 <= days <= months * Fraction(61, 2)


def days(fact: Fact) -> Fraction:
    """Give the length of a period in days, roughly."""
    kind, value = _length(fact)
    return {"business": value * Fraction(7, 5), "months": value * 30, "minutes": value / 1440}[kind]


def _length(fact: Fact) -> tuple[str, Fraction]:
    value = fact.value if isinstance(fact.value, Fraction) else Fraction(0)
    if fact.unit.startswith("business "):
        return "business", value
    if fact.unit in _MONTHS:
        return "months", value * _MONTHS[fact.unit]
    return "minutes", value * _MINUTES.get(fact.unit, Fraction(1440))


def limits_clash(left: Clause, one: Fact, right: Clause, two: Fact) -> bool:
    """Whether one value is a most and the other a least."""
    signs = (left.limit(one), right.limit(two))
    return signs in _CLASHES or signs[::-1] in _CLASHES


def nearness(left: Clause, one: Fact, right: Clause, two: Fact) -> float:
    """Say how alike the words around two values are, in [0, 1]; close words and those before the value count more."""
    mine, its = _around(left, one), _around(right, two)
    total = sum(mine.values())
    return sum(min(weight, its[word]) for word, weight in mine.items() if word in its) / total if total else 0.0


def _around(text: Clause, fact: Fact) -> dict[str, float]:
    found: dict[str, float] = {}
    for word in text.words:
        before, after = fact.start - word.end, word.start - fact.end
        gap = max(before, after)
        if content(word) and not word.text[0].isdigit() and 0 <= gap <= _WINDOW:
            weight = exp(-gap / _FADING) * (1.0 if before >= 0 else _AFTER)
            found[word.stem] = max(found.get(word.stem, 0.0), weight)
    return found
