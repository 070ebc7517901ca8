"""Facts that can be compared exactly: amounts, percentages, durations, dates, section numbers and counts.

Each fact is read from the text as it stands and brought to one form, so that "thirty (30) days" and "30 days" are the
same. What is not clearly of one kind is a count, the weakest one. No meaning is guessed.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from lemaj_core.judge.local_dates import Day, dates
from lemaj_core.judge.local_numbers import ORDINALS, Number, numbers


class Kind(StrEnum):
    """What a fact is about; the words are used in reasons."""

    AMOUNT = "amount"
    PERCENT = "percentage"
    DURATION = "period"
    DATE = "date"
    SECTION = "section"
    COUNT = "number"


@dataclass(frozen=True, slots=True)
class Fact:
    """One value in a text. ``unit`` is the currency, the unit of time or the kind of section."""

    kind: Kind
    value: Fraction | str | Day
    unit: str
    text: str
    start: int
    end: int


_CURRENCIES = {
    "$": "$", "us$": "$", "usd": "$", "dollar": "$", "dollars": "$", "u.s. dollars": "$",
    "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur",
    "£": "gbp", "gbp": "gbp", "pound": "gbp", "pounds": "gbp",
    "chf": "chf", "cad": "cad", "aud": "aud", "¥": "jpy", "jpy": "jpy", "yen": "jpy", "rmb": "rmb", "cny": "rmb",
    "zar": "zar",
    "cent": "cent", "cents": "cent",
}  # fmt: skip
_BEFORE = re.compile(r"(US\$|\$|€|£|¥|\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|RMB|CNY|ZAR|Euros?)\b)\s*\Z", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*\(?(?:U\.?S\.? |Canadian |Australian )?(dollars?|euros?|pounds?|yen|USD|EUR|GBP|CHF|CAD|AUD|JPY|RMB"
    r"|CNY|ZAR|cents?|[€£])(?!\w)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    r"\s*(?:U\.?S\.? )?(?:dollars?|euros?|pounds?)?\s*\(\s*(?:US)?[$€£]\s*([\d,]+(?:\.\d+)?)\s*\)", re.IGNORECASE
)
_PERCENT = re.compile(
    r"\s*(?:%|per\s?cent\b|percent\b|percentage points?\b|p\.c\.)(?:\s*\(\s*\d+(?:\.\d+)?\s*%\s*\))?", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"\(\s*(?:US)?[$€£]?\s*(\d[\d,]*(?:\.\d+)?)\s*%?\s*\)")
_PERCENT_BRACKET = re.compile(r"\s*\(\s*(\d+(?:\.\d+)?)\s*%\s*\)")
_BASIS = re.compile(r"\s*(?:basis points|bps)\b", re.IGNORECASE)
_UNITS = {
    "second": "second", "minute": "minute", "hour": "hour", "day": "day", "week": "week", "fortnight": "fortnight",
    "month": "month", "quarter": "quarter", "year": "year", "decade": "decade", "night": "day", "anniversary": "year",
}  # fmt: skip
_UNIT = re.compile(
    r"[\s-]*(?:(?P<kind>(?:consecutive|calendar|full|successive|additional|further|more|whole|complete|prior"
    r"|contract)\s+)*"
    r"(?P<working>(?:business|working|banking|trading|trade)[\s-]+)?"
    r"(?P<unit>seconds?|minutes?|hours?|days?|weeks?|fortnights?|months?|quarters?|years?|decades?|nights?"
    r"|anniversary)\b)"
    r"(?!-old)",
    re.IGNORECASE,
)
_ONE_UNIT = re.compile(
    r"\b(?:a|an|per|each|every)\s+(?:(?P<working>business|working)\s+)?(?P<unit>day|week|fortnight|month"
    r"|quarter|year|hour)(?=\b(?!ly))",
    re.IGNORECASE,
)
_PERIOD_BEFORE = re.compile(
    r"\b(?:within|of|for|after|than|least|over|in|during|once|beyond|exceed|exceeding)\s\Z", re.IGNORECASE
)
_ANNIVERSARY = re.compile(
    rf"\b(?P<nth>{'|'.join(ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))\s+(?:\(\w+\)\s+)?anniversary\b", re.IGNORECASE
)
_SECTION = re.compile(
    r"(?P<name>\b(?:sections?|secs?\.|clauses?|cl\.|articles?|arts?\.|paragraphs?|paras?\.|schedules?|exhibits?"
    r"|annex(?:es)?|appendix|appendices|"
    r"recitals?|parts?|items?|points?)(?!\w)|§+)\s*(?P<first>\d+(?:\.\d+)*(?:\([a-z0-9]{1,4}\))*"
    r"|[A-Z](?:-?\d+)?(?!\w)|[IVXLC]+(?!\w))"
    r"(?P<more>(?:\s*(?:,|and|or|to|through|–|-|&|,\s*and|,\s*or)\s*(?:\d+\.)*\d+(?:\([a-z0-9]{1,4}\))*(?![\w%]"
    r"|\.\d|,\d{3}|\s*(?:days?|months?|years?)))*)",
    re.IGNORECASE,
)
_MORE = re.compile(r"\d+(?:\.\d+)*(?:\([a-z0-9]{1,4}\))*")
_MULTIPLES = {"twice": 2, "double": 2, "thrice": 3, "triple": 3, "once": 1}
_MULTIPLE = re.compile(r"\b(twice|double|thrice|triple)\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d\d)\s*(?P<half>[ap]\.?m\b\.?)?|\s*(?P<only>[ap]\.?m\b\.?))",
    re.IGNORECASE,
)
_TOPS = {"one": 1, "a": 1, "two": 2, "three": 3}
_BOTTOMS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_FRACTION = re.compile(
    r"\b(?P<top>one|a|two|three|\d{1,2})(?:[\s-](?=[hqtf])|/(?=\d))(?P<bottom>hal(?:f|ves)|thirds?|quarters?"
    r"|fourths?|fifths?|tenths?|\d{1,2})\b"
    r"(?:\s*\(\s*\d{1,2}/\d{1,2}\s*\))?(?!\s+(?:part(?:y|ies)|of\s+\d{4}|\d{4}))",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"\b({'|'.join(ORDINALS)}|\d{{1,3}}(?:st|nd|rd|th))\b", re.IGNORECASE)
_SKIP = re.compile(r"\b(?:first|second|third)(?=[\s-]+(?:part(?:y|ies)|hand|above|named)\b)", re.IGNORECASE)
_EMPTY_ONE = re.compile(
    r"\b(?:no|any|every|each|which|this|that|the)\s+one\b|\bone\s+(?:of|another|party|or\b|hand|who|or more)"
    r"|\bone's\b|\bzero\b",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(
    r"(?m)^[^\S\n]*(?:\(?\d{1,2}[.)]|\d{1,2}(?:\.\d{1,3})+\.?)(?=\s)|(?<=[;:,.]\s)[(]\d{1,2}[)](?=\s+[a-z])|\[\d{1,3}\]"
)


def facts(text: str) -> list[Fact]:
    """Read the facts of a text, in order and without overlap.

    Examples
    --------
    >>> [(fact.kind.value, str(fact.value), fact.unit) for fact in facts("pay $5,000 within thirty (30) days")]
    [('amount', '5000', '$'), ('period', '30', 'day')]
    """
    found: list[Fact] = []
    taken = [match.span() for pattern in (_LIST_MARK, _SKIP) for match in pattern.finditer(text)]
    for kind in (_dates, _sections, _clock, _fractions, _ordinals, _valued, _single_units):
        for fact in kind(text):
            if all(fact.end <= start or fact.start >= end for start, end in taken):
                found.append(fact)
                taken.append((fact.start, fact.end))
        # Two values of one number ("thirty (60) days") stand at the same place; both are kept by their finder.
    return sorted(_with_second_values(text, found), key=lambda fact: (fact.start, fact.kind))


def _dates(text: str) -> list[Fact]:
    return [Fact(Kind.DATE, day, "", text[start:end], start, end) for day, start, end in dates(text)]


def _sections(text: str) -> list[Fact]:
    found = []
    for match in _SECTION.finditer(text):
        name = match["name"].lower().rstrip("s.")
        if not match["first"][0].isdigit() and (match["first"].islower() or name in ("part", "item", "point")):
            continue
        if name in ("part", "item", "point") and "." not in match["first"]:
            continue
        family = (
            "attachment" if name in ("schedule", "exhibit", "annex", "annexe", "appendix", "appendice") else "section"
        )
        text_of = text[match.start() : match.end("first")]
        found.append(Fact(Kind.SECTION, match["first"].lower(), family, text_of, match.start(), match.end("first")))
        for more in _MORE.finditer(match["more"] or ""):
            start = match.start("more") + more.start()
            found.append(
                Fact(Kind.SECTION, more.group().lower(), family, more.group(), start, start + len(more.group()))
            )
    return found


def _clock(text: str) -> list[Fact]:
    found = []
    for match in _CLOCK.finditer(text):
        hour = int(match["hour"]) % 12 + (12 if (match["half"] or match["only"] or "").lower().startswith("p") else 0)
        value = Fraction(hour * 60 + int(match["minute"] or 0))
        found.append(Fact(Kind.COUNT, value, "clock", match.group(), *match.span()))
    return found


def _fractions(text: str) -> list[Fact]:
    found = []
    for match in _FRACTION.finditer(text):
        top = Fraction(int(match["top"])) if match["top"].isdigit() else Fraction(_TOPS[match["top"].lower()])
        name = match["bottom"].lower().rstrip("s")
        value = top / (int(name) if name.isdigit() else _BOTTOMS[name])
        found.append(Fact(Kind.COUNT, value, "share", match.group(), *match.span()))
    return found


def _valued(text: str) -> list[Fact]:
    return [fact for number in numbers(text) if (fact := _fact(text, number, number.value)) is not None]


def _with_second_values(text: str, found: list[Fact]) -> list[Fact]:
    """Add a second fact where words and the figures in brackets behind them say different values."""
    others = {number.start: number for number in numbers(text) if number.other is not None}
    seconds = []
    for fact in found:
        if not isinstance(fact.value, Fraction):
            continue
        number = next((number for start, number in others.items() if fact.start <= start < fact.end), None)
        values = set()
        if number is not None and number.other is not None and number.value:
            values.add(fact.value / number.value * number.other)
        if fact.kind in (Kind.AMOUNT, Kind.PERCENT) and (bracket := _IN_BRACKETS.search(fact.text)):
            values |= {Fraction(bracket.group(1).replace(",", "")), next(numbers(fact.text)).value}
        for value in sorted(values - {fact.value}):
            seconds.append(Fact(fact.kind, value, fact.unit, fact.text, fact.start, fact.end))
    return found + seconds


def _fact(text: str, number: Number, value: Fraction) -> Fact | None:
    start, end = number.start, number.end
    before, after = text[max(0, start - 8) : start], text[end : end + 60]
    if found := _BEFORE.search(before):
        unit = _CURRENCIES[found.group(1).lower()]
        start -= len(before) - found.start()
        return Fact(Kind.AMOUNT, value, unit, text[start:end], start, end)
    if (found := _PERCENT_BRACKET.match(after)) and number.spelled:
        end += found.end()
        return Fact(Kind.PERCENT, Fraction(found.group(1)), "", text[start:end], start, end)
    if found := _BRACKETED.match(after):
        end += found.end()
        unit = next((sign for sign in "€£" if sign in found.group()), "$").replace("€", "eur").replace("£", "gbp")
        return Fact(Kind.AMOUNT, Fraction(found.group(1).replace(",", "")), unit, text[start:end], start, end)
    if found := _AFTER.match(after):
        end += found.end()
        return Fact(Kind.AMOUNT, value, _CURRENCIES[found.group(1).lower()], text[start:end], start, end)
    if found := _PERCENT.match(after):
        end += found.end()
        return Fact(Kind.PERCENT, value, "", text[start:end], start, end)
    if found := _BASIS.match(after):
        end += found.end()
        return Fact(Kind.PERCENT, value / 100, "", text[start:end], start, end)
    if found := _UNIT.match(after):
        end += found.end()
        unit = _UNITS[found["unit"].lower().removesuffix("s").replace("anniversarie", "anniversary")]
        if found["working"]:
            unit = "business " + unit
        return Fact(Kind.DURATION, value, unit, text[start:end], start, end)
    if number.spelled and value <= 1 and _EMPTY_ONE.search(text[max(0, start - 6) : end + 9]):
        return None
    return Fact(Kind.COUNT, value, "", text[start:end], start, end)


def _single_units(text: str) -> list[Fact]:
    found = []
    for match in _ONE_UNIT.finditer(text):
        # "thirty days a year" is a rate, "within a year" a period.
        if match.group().split()[0].lower() in ("a", "an") and _PERIOD_BEFORE.search(text[: match.start()]):
            unit = ("business " if match["working"] else "") + match["unit"].lower()
            found.append(Fact(Kind.DURATION, Fraction(1), unit, match.group(), match.start(), match.end()))
    return found


def _nth(word: str) -> Fraction:
    return Fraction(ORDINALS.get(word.lower()) or int(re.sub(r"\D", "", word)))


def _ordinals(text: str) -> list[Fact]:
    found = []
    for match in _ANNIVERSARY.finditer(text):
        found.append(Fact(Kind.DURATION, _nth(match["nth"]), "year", match.group(), *match.span()))
    for match in _ORDINAL.finditer(text):
        value = _nth(match.group())
        found.append(Fact(Kind.COUNT, value, "ordinal", match.group(), match.start(), match.end()))
    for match in _MULTIPLE.finditer(text):
        found.append(
            Fact(Kind.COUNT, Fraction(_MULTIPLES[match.group().lower()]), "times", match.group(), *match.span())
        )
    return found
