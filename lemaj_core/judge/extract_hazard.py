"""Readers of SCORE's hazard preset: hazard, location, timeline and intensity, and what masking hides besides.

Order matters: an intensity may hold words of a hazard or of a time ("100-year flood", "Category 4 hurricane").
"""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from lemaj_core.judge.extract import Found, Reader, pattern, words
from lemaj_core.judge.local_dates import dates
from lemaj_core.judge.local_facts import Kind, facts

_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_RANGE = rf"(?P<low>{_NUMBER})(?:\s*(?:-|\u2013|\u2014|to|and)\s*(?P<high>{_NUMBER}))?"
# To metres, metres per second, degrees Celsius (differences of temperature and readings are not told apart), shares.
_UNITS = {
    "length": {"feet": 0.3048, "foot": 0.3048, "ft": 0.3048, "inches": 0.0254, "inch": 0.0254, "in.": 0.0254,
               "meters": 1.0, "metres": 1.0, "meter": 1.0, "metre": 1.0, "m": 1.0, "centimeters": 0.01,
               "centimetres": 0.01, "cm": 0.01, "millimeters": 0.001, "millimetres": 0.001, "mm": 0.001},
    "speed": {"mph": 0.44704, "miles per hour": 0.44704, "km/h": 1 / 3.6, "kph": 1 / 3.6, "knots": 0.514444,
              "m/s": 1.0},
    "area": {"acres": 0.404686, "acre": 0.404686, "hectares": 1.0, "square miles": 258.999, "km2": 100.0},
}  # fmt: skip
_UNIT = {unit: (family, factor) for family, units in _UNITS.items() for unit, factor in units.items()}
_MEASURED = re.compile(
    rf"(?<![\w.$]){_RANGE}[\s-]*(?P<unit>{'|'.join(sorted(map(re.escape, _UNIT), key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)
_DEGREES = re.compile(
    rf"(?<![\w.]){_RANGE}\s*(?:\u00b0\s*|degrees?\s+)(?P<scale>[CF]\b|celsius|fahrenheit)", re.IGNORECASE
)
_PERCENT = re.compile(rf"(?<![\w.]){_RANGE}\s*(?:%|per\s?cent\b|percent\b)", re.IGNORECASE)
_CATEGORY = re.compile(
    r"\b(?:category|cat\.?)\s*(?P<low>[1-5])(?:\s*(?:-|\u2013|to|or)\s*(?P<high>[1-5]))?\b"
    r"|\bEF-?(?P<ef>[0-5])\b|\bmagnitude\s+(?P<magnitude>\d(?:\.\d)?)|\b(?P<d>D[0-4])\b",
    re.IGNORECASE,
)
_RETURN = re.compile(
    r"\b(?P<years>\d{2,4})[\s-]*years?[\s-](?=(?:flood|storm|event|rain|surge|return|recurrence|drought|load|wind|gust|wave|heat))"
    r"(?:(?:return|recurrence)\s(?:period|interval)|(?:flood|storm|event|surge|drought|rainfall|load|wind|gust|wave)s?)",
    re.IGNORECASE,
)
_LONE_DECADE = re.compile(r"\b(?P<decade>(?:19|20)\d0)s\b")
_YEARS = re.compile(
    r"(?<![\w.$,])(?P<low>\d{1,3})\s*(?:-|\u2013|\u2014|to)\s*(?P<high>\d{1,3})[\s-]*(?P<unit>year|month|decade)s?\b",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\b(?P<low>(?:19|20)\d\d)\s*(?:-|\u2013|\u2014|to|and|through)\s*(?P<high>(?:19|20)\d\d)\b")
_UNIT_YEARS = {"year": 1.0, "month": 1 / 12, "decade": 10.0, "quarter": 0.25, "week": 7 / 365.25, "day": 1 / 365.25}
_OPENING = re.compile(r"(?:(?:In|The|For|Of|At|Across|From|To|Near|And|Around|Within|Throughout|As|While|Because)\s)*")
_CAP = r"(?:St\.\s|[A-Z][\w'\u2019.-]*\w\s|de\s|[A-Z]{2,}\s)"


def hazards(text: str, source: str) -> Iterator[Found]:
    """Hazards by name; the value is the usual name."""
    regex, names = _hazards()
    for match in regex.finditer(text):
        yield Found(*match.span(), "hazard", "hazard", match.group(), names[_key(match.group(), names)])


def locations(text: str, source: str) -> Iterator[Found]:
    """Counties, cities, states and regions; the value is (place, state), either of them None."""
    for regex, read in _places():
        for match in regex.finditer(text):
            if (value := read(match)) is not None:
                # "In Ventura County": a sentence gives its first word a capital.
                start = match.start() + len(_OPENING.match(match.group()).group())  # type: ignore[union-attr]
                yield Found(start, match.end(), "location", "place", text[start : match.end()], value)


def timelines(text: str, source: str) -> Iterator[Found]:
    """Horizons, ranges of years, periods and dates; the value is ("horizon" or "years", first, last)."""
    horizons = words()["horizons"]
    for match in _horizons().finditer(text):
        name = re.sub(r"\s+", " ", match.group().lower())
        low, high = horizons.get(name) or horizons[name.replace(" ", "-")]
        yield Found(*match.span(), "timeline", "time", match.group(), _time(low, high))
    for match in _FROM_TO.finditer(text):
        yield Found(*match.span(), "timeline", "time", match.group(), _time(int(match["low"]), int(match["high"])))
    for match in _YEARS.finditer(text):
        length = _UNIT_YEARS[match["unit"].lower()]
        span = int(match["low"]) * length, int(match["high"]) * length
        yield Found(*match.span(), "timeline", "time", match.group(), _time(*span))
    for match in _LONE_DECADE.finditer(text):
        first = int(match["decade"])
        yield Found(*match.span(), "timeline", "time", match.group(), _time(first, first + 9))
    for day, start, end in dates(text):
        if day.year is not None:
            yield Found(start, end, "timeline", "time", text[start:end], _time(day.year, day.year))
    for fact in facts(text):
        unit = fact.unit.removeprefix("business ")
        if fact.kind is Kind.DURATION and isinstance(fact.value, Fraction) and unit in _UNIT_YEARS:
            years = float(fact.value) * _UNIT_YEARS[unit]
            yield Found(fact.start, fact.end, "timeline", "time", fact.text, _time(years, years))


def intensities(text: str, source: str) -> Iterator[Found]:
    """Measures, categories, return periods, shares, and words of severity before a hazard; (unit, low, high)."""
    for match in _RETURN.finditer(text):
        years = float(match["years"])
        yield Found(*match.span(), "intensity", "measure", match.group(), ("return period", years, years))
    for match in _CATEGORY.finditer(text):
        scale = next(name for name in ("low", "ef", "magnitude", "d") if match[name])
        low = float(match[scale].lstrip("dD"))
        high = float(match["high"] or low) if scale == "low" else low
        name = {"low": "category"}.get(scale, scale)
        yield Found(*match.span(), "intensity", "measure", match.group(), (name, low, high))
    for match in _DEGREES.finditer(text):
        scale = "celsius" if match["scale"][0].lower() == "c" else "fahrenheit"
        yield Found(*match.span(), "intensity", "measure", match.group(), (scale, *_bounds(match)))
    for match in _MEASURED.finditer(text):
        family, factor = _UNIT[match["unit"].lower()]
        low, high = _bounds(match)
        yield Found(*match.span(), "intensity", "measure", match.group(), (family, low * factor, high * factor))
    for match in _PERCENT.finditer(text):
        yield Found(*match.span(), "intensity", "measure", match.group(), ("percent", *_bounds(match)))
    regex, levels = _severity()
    for match in regex.finditer(text):
        level = levels[match["word"].lower()]
        yield Found(*match.span("word"), "intensity", "severity", match["word"], ("severity", level, level))


def professions(text: str, source: str) -> Iterator[Found]:
    """Professions of SCORE's list."""
    yield from _listed(text, "professions", "profession")


def infrastructure(text: str, source: str) -> Iterator[Found]:
    """Kinds of infrastructure."""
    yield from _listed(text, "infrastructure", "infrastructure")


def concerns(text: str, source: str) -> Iterator[Found]:
    """What a question is concerned with: structural integrity, service continuity and the like."""
    yield from _listed(text, "concerns", "concern")


READERS: Mapping[str, Reader] = {
    "profession": professions,
    "intensity": intensities,
    "hazard": hazards,
    "location": locations,
    "timeline": timelines,
    "concern": concerns,
    "infrastructure": infrastructure,
}


def _listed(text: str, key: str, dimension: str) -> Iterator[Found]:
    for match in _list(key).finditer(text):
        yield Found(*match.span(), dimension, "word", match.group(), re.sub(r"s\Z", "", match.group().lower()))


@lru_cache(maxsize=8)
def _list(key: str) -> re.Pattern[str]:
    return pattern(words()[key])


@lru_cache(maxsize=1)
def _hazards() -> tuple[re.Pattern[str], dict[str, str]]:
    names = {word: name for name, entry in words()["hazards"].items() for word in entry["words"]}
    return pattern(names), {word.replace("-", " "): name for word, name in names.items()}


def _key(found: str, names: Mapping[str, object]) -> str:
    """Find the listed form of a match: without plural, with plain spaces."""
    low = re.sub(r"[\s-]+", " ", found.lower())
    return next(form for form in (low, low.removesuffix("s"), low.removesuffix("es")) if form in names)


@lru_cache(maxsize=1)
def _horizons() -> re.Pattern[str]:
    return pattern(words()["horizons"])


@lru_cache(maxsize=1)
def _severity() -> tuple[re.Pattern[str], dict[str, int]]:
    groups = words()["severity"]
    levels = {word: level for level, (_, listed) in enumerate(groups.items(), start=1) for word in listed}
    hazard = _hazards()[0].pattern.removeprefix(r"(?<![\w-])")
    named = "|".join(re.escape(word) for word in sorted(levels, key=len, reverse=True))
    # Only before a hazard: a "significant clause" has no intensity. Two words may stand between.
    return re.compile(rf"\b(?P<word>{named})(?=[\s-]+(?:[a-z-]+\s+){{0,2}}?{hazard})", re.IGNORECASE), levels


Place = tuple[str | None, str | None]
_PlaceReader = tuple[re.Pattern[str], Callable[[re.Match[str]], Place | None]]


@lru_cache(maxsize=1)
def _places() -> tuple[_PlaceReader, ...]:
    listed = words()
    names = {name.lower(): name for name in listed["states"].values()}
    short = dict(listed["states"])
    state = "|".join(re.escape(name).replace(r"\ ", r"\s") for name in sorted(names.values(), key=len, reverse=True))
    either = rf"(?P<state>{state}|(?:{'|'.join(short)})(?![\w]))"

    def full(found: str | None) -> str | None:
        if found is None:
            return None
        return short.get(found) or names.get(re.sub(r"\s", " ", found.lower()))

    county = re.compile(
        rf"(?P<name>(?:{_CAP}){{1,3}})(?:County|Parish|Borough)(?:,?\s+(?:in\s+|of\s+)?{either})?(?!\w)"
    )
    lower_county = re.compile(rf"\b[Cc]ounty of (?P<name>[A-Z][\w-]+(?:\s[A-Z][\w-]+)?)(?:,\s+{either})?(?!\w)")
    town = re.compile(rf"(?P<name>(?:{_CAP}){{0,2}}(?:St\.\s)?[A-Z][\w'\u2019-]+),\s+{either}(?!\w)")
    region = pattern(listed["regions"], flags=0)
    city = pattern(listed["cities"], flags=0)
    alone = re.compile(rf"(?<![\w-])(?P<state>{state})(?!\w)")
    regions = listed["regions"]
    cities = listed["cities"]

    def placed(match: re.Match[str]) -> Place:
        name = re.sub(r"\s+", " ", _OPENING.sub("", match["name"]).strip()).lower()
        return name, full(match["state"])

    return (
        (county, placed),
        (lower_county, placed),
        (town, placed),
        (region, lambda match: (match.group(), None) if match.group() in regions else None),
        (city, lambda match: (match.group().lower(), cities[match.group()]) if match.group() in cities else None),
        (alone, lambda match: (None, full(match["state"]))),
    )


def _time(low: float, high: float) -> tuple[str, float, float]:
    """A calendar span if its numbers are years of our time, else a horizon counted in years."""
    return ("calendar" if low >= 1900 else "horizon", float(low), float(high))


def _bounds(match: re.Match[str]) -> tuple[float, float]:
    low = float(match["low"].replace(",", ""))
    return low, float(match["high"].replace(",", "")) if match["high"] else low
