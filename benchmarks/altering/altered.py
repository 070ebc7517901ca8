"""Sentences of a contract with one thing changed, so that they are wrong about it. Seeded; independent of the judge.

Five kinds: a number, a date, a party, a negation, the force of a verb (may, shall). The lists here are the
benchmark's own: nothing is imported from the judge.
"""

import random
import re
from collections.abc import Callable
from typing import NamedTuple


class Altered(NamedTuple):
    """A changed sentence with the one it came from."""

    kind: str
    text: str
    original: str


_WORDS = (
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred"
).split()
_VALUES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30, 40, 50, 60, 90, 100]
_SPELLED = dict(zip(_WORDS, _VALUES, strict=True))
_BOTH = re.compile(rf"\b({'|'.join(_WORDS)})(?:-\w+)? \((\d+)\)", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?<![\w.,/$#-])\d+(?:\.\d+)?(?=%| (?:days|months|years|hours|business|working|calendar|percent|per cent))"
)
_MONEY = re.compile(r"(?:\$|EUR |USD |€|£)\s?\d[\d,]*(?:\.\d+)?")
_SECTION = re.compile(r"(?<=[Ss]ection )\d+(?:\.\d+)?|(?<=[Cc]lause )\d+(?:\.\d+)?|(?<=[Pp]aragraph )\d+(?:\.\d+)?")
_SPELT_UNIT = re.compile(
    rf"\b({'|'.join(_WORDS)})(?= (?:days|months|years|hours|weeks|business|copies|times))", re.IGNORECASE
)
_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile(
    rf"\b({'|'.join(_MONTHS)})(?= \d)|(?<=\d )({'|'.join(_MONTHS)})(?= \d{{4}})|(?<=day of )({'|'.join(_MONTHS)})"
)
_YEAR = re.compile(r"(?<=[a-z] )(?:19|20)\d\d\b|(?<=, )(?:19|20)\d\d\b(?!-)")
_DAY = re.compile(rf"(?<=(?:ber|ary|une|uly|ust) )\d{{1,2}}(?=,)|\b\d{{1,2}}(?= (?:{'|'.join(_MONTHS)}))")
_PARTIES = (
    ("Licensor", "Licensee"), ("Licensor", "Rogers"), ("Producer", "ConvergTV"), ("Company", "MA"), ("Eskom",
    "the Counterparty"),
    ("Disclosing Party", "Receiving Party"), ("Mentor", "Organiser"), ("Mentor", "Participant"), ("Landlord", "Tenant"),
    ("Provider", "Client"), ("Discloser", "Recipient"), ("Supplier", "Buyer"), ("Supplier", "Distributor"),
    ("Lender", "Borrower"),
    ("Company", "Executive"), ("Customer", "Loomfield"),
)  # fmt: skip
_NEGATED = (
    (r"\bshall not\b", "shall"), (r"\bmay not\b", "may"), (r"\bwill not\b", "will"), (r"\bmust not\b", "must"),
    (r"\bis not\b", "is"),
    (r"\bare not\b", "are"), (r"\bdoes not (?=\w)", "does "), (r"\bcannot\b", "can"),
    (r"\bshall (?!not|be deemed)", "shall not "), (r"\bmay (?!not)", "may not "), (r"\bwill (?!not)", "will not "),
    (r"\bmust (?!not)", "must not "),
    (r"\bis (?!not)", "is not "), (r"\bare (?!not)", "are not "),
)  # fmt: skip
_NOBODY = re.compile(r"\b(?:no|neither|nothing|none|nor)\b", re.IGNORECASE)
_FORCE = (
    (r"\bshall (?!not|be deemed)", "may "), (r"\bmay (?!not)", "shall "), (r"\bmust (?!not)", "may "),
    (r"\bmay (?!not)", "must "),
    (r"\bshall (?!not|be deemed)", "is not required to "), (r"\bhas the right to\b", "is required to"),
    (r"\bis entitled to\b", "must"),
)  # fmt: skip


def _swap(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]


def _number(text: str, rng: random.Random) -> str | None:
    options: list[Callable[[], str]] = []
    for match in _BOTH.finditer(text):
        index = rng.choice(
            [i for i, value in enumerate(_VALUES) if value != int(match[2]) and value != _SPELLED[match[1].lower()]]
        )
        both = f"{_WORDS[index]} ({_VALUES[index]})" if rng.random() < 0.7 else f"{match[1]} ({_VALUES[index]})"
        options.append(lambda m=match, new=both: _swap(text, m.start(), m.end(), new))  # type: ignore[misc]
    for pattern in (_FIGURE, _SECTION):
        for match in pattern.finditer(text):
            value = float(match.group())
            new = f"{value + rng.choice([1, 2, 5, 10, 15]):g}"
            options.append(lambda m=match, new=new: _swap(text, m.start(), m.end(), new))  # type: ignore[misc]
    for match in _MONEY.finditer(text):
        figure = re.search(r"\d[\d,]*", match.group())
        if figure:
            value = int(figure.group().replace(",", "")) * rng.choice([2, 3, 5]) + rng.choice([0, 5, 100])
            at = match.start() + figure.start()
            options.append(lambda a=at, f=figure, v=value: _swap(text, a, a + len(f.group()), f"{v:,}"))  # type: ignore[misc]
    for match in _SPELT_UNIT.finditer(text):
        word = rng.choice([word for word in _WORDS if word != match[1].lower()])
        options.append(lambda m=match, w=word: _swap(text, m.start(), m.end(), w))  # type: ignore[misc]
    return rng.choice(options)() if options else None


def _date(text: str, rng: random.Random) -> str | None:
    options = []
    for match in _MONTH.finditer(text):
        options.append((match.start(), match.end(), rng.choice([month for month in _MONTHS if month != match.group()])))
    for match in _YEAR.finditer(text):
        options.append((match.start(), match.end(), str(int(match.group()) + rng.choice([-3, -2, -1, 1, 2, 3]))))
    for match in _DAY.finditer(text):
        options.append((match.start(), match.end(), str(int(match.group()) % 27 + 1)))
    return _swap(text, *rng.choice(options)) if options else None


def _party(text: str, rng: random.Random, contract: str) -> str | None:
    options = []
    for pair in _PARTIES:
        if all(name.removeprefix("the ") in contract for name in pair):
            for old, new in (pair, pair[::-1]):
                bare = old.removeprefix("the ")
                options += [(match.start(), match.end(), new) for match in re.finditer(rf"(?<!-)\b{bare}\b", text)]
    return _swap(text, *rng.choice(options)) if options else None


def _pattern(text: str, rng: random.Random, table: tuple[tuple[str, str], ...]) -> str | None:
    options = [(match.start(), match.end(), new) for old, new in table for match in re.finditer(old, text)]
    return _swap(text, *rng.choice(options)) if options else None


def alterations(sentences: list[str], contract: str, rng: random.Random) -> list[Altered]:
    """Change each sentence in each way that it allows, once."""
    makers: dict[str, Callable[[str], str | None]] = {
        "number": lambda text: _number(text, rng),
        "date": lambda text: _date(text, rng),
        "party": lambda text: _party(text, rng, contract),
        "negation": lambda text: _pattern(text, rng, _NEGATED),
        # "No waiver may" and "no waiver shall" say the same.
        "force": lambda text: None if _NOBODY.search(text) else _pattern(text, rng, _FORCE),
    }
    made = []
    for sentence in sentences:
        for kind, maker in makers.items():
            new = maker(sentence)
            if new is not None and new != sentence and new not in contract:
                made.append(Altered(kind, new, sentence))
    return made
