"""Readers of the legal preset: party or obligation, clause reference, date or term, amount, jurisdiction.

Values are read by the offline judge's own readers, so that "thirty (30) days" is "30 days" here as there.
"""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from lemaj_core.judge.extract import Found, Reader, words
from lemaj_core.judge.local_facts import Kind, facts
from lemaj_core.judge.local_modals import Force
from lemaj_core.judge.local_parties import EVERYBODY, Parties, parties
from lemaj_core.judge.local_words import read

# Roles that name a party even where no document says who the parties are.
_ROLES = parties(
    "Landlord Landlord Tenant Tenant Buyer Buyer Seller Seller Supplier Supplier Customer Customer Licensor Licensor "
    "Licensee Licensee Employer Employer Employee Employee Contractor Contractor Recipient Recipient Lender Lender "
    "Borrower Borrower Guarantor Guarantor Distributor Distributor"
)
_MERE_WORD = 3
_STATE_LAW = re.compile(r"\b(?:State|Commonwealth)\s+of\s+\Z")
_COURT = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)|First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Eleventh|Federal"
    r"|D\.C\.) Cir(?:cuit|\.)|\b(?:U\.?S\.? )?Supreme Court\b|\b(?:federal|state) (?:courts?|law)\b"
    r"|\b(?:Delaware )?Court of Chancery\b|\bHigh Court\b"
)
_FORCES = {Force.DUTY: "duty", Force.RIGHT: "right", Force.BAN: "ban", Force.FREE: "no duty"}
_ADJECTIVES = {"english": "England", "scottish": "Scotland", "french": "France", "german": "Germany",
               "swiss": "Switzerland", "canadian": "Canada", "irish": "Ireland"}  # fmt: skip
_ADJECTIVE = re.compile(rf"\b(?:{'|'.join(_ADJECTIVES)})(?=\s+(?:law|courts?))", re.IGNORECASE)


def clauses(text: str, source: str) -> Iterator[Found]:
    """Sections, clauses, schedules and other numbered parts."""
    yield from _facts(text, "clause reference", Kind.SECTION)


def terms(text: str, source: str) -> Iterator[Found]:
    """Dates, periods and times of day."""
    yield from _facts(text, "date or term", Kind.DATE, Kind.DURATION)
    for fact in facts(text):
        if fact.kind is Kind.COUNT and fact.unit == "clock":
            yield Found(fact.start, fact.end, "date or term", "fact", fact.text, fact)


def amounts(text: str, source: str) -> Iterator[Found]:
    """Sums of money, percentages, shares, and counts above three: "one", "two" and "three" are often mere words."""
    yield from _facts(text, "amount or threshold", Kind.AMOUNT, Kind.PERCENT)
    for fact in facts(text):
        if fact.kind is not Kind.COUNT or fact.unit in ("clock", "ordinal") or not isinstance(fact.value, Fraction):
            continue
        if fact.unit in ("share", "times") or fact.value > _MERE_WORD or fact.text[0].isdigit():
            yield Found(fact.start, fact.end, "amount or threshold", "fact", fact.text, fact)


def jurisdictions(text: str, source: str) -> Iterator[Found]:
    """States, countries and courts."""
    for match in _COURT.finditer(text):
        yield Found(*match.span(), "jurisdiction", "court", match.group(), match.group().lower().rstrip("."))
    for match in _ADJECTIVE.finditer(text):
        yield Found(*match.span(), "jurisdiction", "place", match.group(), _ADJECTIVES[match.group().lower()])
    for match in _law_places().finditer(text):
        start = match.start()
        if before := _STATE_LAW.search(text[max(0, start - 24) : start]):
            start -= len(before.group())
        name = re.sub(r"\s+", " ", match.group())
        yield Found(start, match.end(), "jurisdiction", "place", text[start : match.end()], name)


def party_or_obligation(text: str, source: str) -> Iterator[Found]:
    """Who is named, and what somebody must, may or must not do."""
    known = _known(source)
    for mention in known.mentions(text):
        usual = "everybody" if mention.party == EVERYBODY else known.names[mention.party][0].lower()
        yield Found(mention.start, mention.end, "party or obligation", "party", mention.text, usual)
    low = text.lower()
    for word in read(text):
        if word.force is None:
            continue
        force = Force.BAN if word.negated and word.force in (Force.DUTY, Force.RIGHT) else word.force
        yield Found(
            word.start, word.end, "party or obligation", "obligation", low[word.start : word.end],
            (_FORCES[force], word.stem),
        )  # fmt: skip


READERS: Mapping[str, Reader] = {
    "clause reference": clauses,
    "date or term": terms,
    "amount or threshold": amounts,
    "jurisdiction": jurisdictions,
    "party or obligation": party_or_obligation,
}


def _facts(text: str, dimension: str, *kinds: Kind) -> Iterator[Found]:
    for fact in facts(text):
        if fact.kind in kinds:
            yield Found(fact.start, fact.end, dimension, "fact", fact.text, fact)


def _known(source: str) -> Parties:
    """Parties of the source; without any, the usual roles."""
    found = parties(source) if source.strip() else _ROLES
    return found if found.names else _ROLES


@lru_cache(maxsize=1)
def _law_places() -> re.Pattern[str]:
    listed = words()
    names = {*listed["states"].values(), *listed["countries"]}
    alternatives = (re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?!\w)")
