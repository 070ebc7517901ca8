"""Who the parties of a document are and where a text names them.

Parties are read from the document: defined names ("Acme Ltd. ... (the "Seller")"), labelled lines ("Tenant: ...") and
capitalised terms that have duties and rights. A name and the term defined for it are one party. No list of company
names, no guess who is meant by "it".
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

# Words for the same role in different contracts; used only where the document knows exactly one of a group.
_GROUPS = (
    ("landlord", "lessor"), ("tenant", "lessee"), ("recipient", "receiving party"), ("discloser", "disclosing party"),
    ("buyer", "purchaser"), ("seller", "vendor"), ("customer", "client", "subscriber"), ("supplier", "provider",
    "vendor", "service provider"),
    ("employer", "company"), ("employee", "executive"), ("licensor", "owner"), ("licensee", "user"), ("lender", "bank"),
    ("borrower", "debtor"), ("contractor", "consultant"), ("distributor", "reseller"), ("manufacturer", "supplier"),
    ("organiser", "organizer"),
)  # fmt: skip
_ROLES = frozenset(
    "landlord tenant lessor lessee licensor licensee buyer purchaser seller vendor supplier customer client"
    " provider company employee employer "
    "contractor consultant recipient discloser lender borrower guarantor franchisor franchisee principal agent"
    " assignor assignee grantor grantee "
    "distributor reseller manufacturer subscriber executive bank owner user publisher author producer sponsor"
    " investor issuer trustee mentor organiser "
    "subcontractor affiliate insurer insured mortgagor mortgagee bailor bailee obligor obligee indemnitor"
    " indemnitee plaintiff defendant".split()
)
_COMPOUND = re.compile(
    r"\b(?:receiving|disclosing|indemnified|indemnifying|indemnitee|terminating|non-terminating|defaulting"
    r"|non-defaulting|breaching|non-breaching) party\b",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"\b(?:(?:each|either|both|neither|no|any|all|the|one|such|a|another) (?:of the )?part(?:y|ies)|parties"
    r"|each other|the other party)\b",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"\((?:[^()\"\u201c\u201d]{0,60}?)[\"\u201c\u201f](?P<term>[^\"\u201d\u201c]{2,40})[\"\u201d](?:\s*(?:or"
    r"|and|,)\s*(?:the\s*)?[\"\u201c](?P<second>[^\"\u201d\u201c]{2,40})[\"\u201d])?[^()]{0,60}\)"
)
_CAPITAL = r"(?:[A-Z\u00c0-\u00de][\w&'\u2019.\-]*|[A-Z]{2,})"
_NAME = re.compile(
    rf"{_CAPITAL}(?:[^\S\n]+(?:of |and |& |the )?{_CAPITAL}|,\s*(?:Inc|LLC|Ltd|LLP|L\.P|Corp|N\.A|S\.A|plc|PLC"
    rf"|GmbH)\b\.?)*"
)
_LABELLED = re.compile(rf"(?m)^[^\S\n]*(?P<term>[A-Z][a-z]+(?: [A-Z][a-z]+)?):\s+(?P<name>{_NAME.pattern})")
_ACTOR = re.compile(
    r"(?<![.\w] )\b(?P<term>[A-Z][\w&.\-]*(?: [A-Z][\w&.\-]*){0,2})(?: (?:hereby|further|also))? (?:shall|will"
    r"|must|may|agrees?|represents|warrants|"
    r"acknowledges|undertakes|covenants|is entitled|is responsible|grants)\b"
)
_NO_PARTY = frozenset(
    "the this that these those such each any all no neither either every if when where it they agreement lease"
    " term section schedule exhibit party parties "
    "nothing notice confidential information upon unless except notwithstanding services fees article clause"
    " amounts rent products".split()
)
_STARTS = re.compile(
    r"^(?:The|Each|Such|Any|All|If|When|That|This|Upon|And|Or|Between|By|While|Unless|Where|Accordingly|Therefore)\s+"
)
_LEGAL_FORM = re.compile(
    r"[,.\s]*\b(?:Inc|LLC|L\.L\.C|Ltd|Limited|LLP|L\.P|LP|Corp|Corporation|Company|Co|N\.A|S\.A|PLC|plc|GmbH|AG"
    r"|SOC|B\.V|Pty)\b\.?",
    re.IGNORECASE,
)

EVERYBODY = -1
"""The party of "each party", "the parties" and the like."""


class Mention(NamedTuple):
    """A party named in a text; ``owner`` marks a possessive ("Tenant's")."""

    party: int
    start: int
    end: int
    text: str
    owner: bool


@dataclass(frozen=True, slots=True, eq=False)
class Parties:
    """The parties of one document: names of each, the usual one first."""

    names: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str] | None
    numbers: dict[str, int]

    def mentions(self, text: str) -> list[Mention]:
        """Find who is named in a text, in order."""
        found = [Mention(EVERYBODY, *match.span(), match.group(), False) for match in _GENERIC.finditer(text)]
        if self.pattern is not None:
            for match in self.pattern.finditer(text):
                party = self.numbers.get(match.group().lower())
                # "company" and "user" written small are often just words.
                if party is None or (
                    match.group().islower()
                    and match.group() in ("company", "user", "bank", "owner", "agent", "affiliate", "author")
                ):
                    continue
                owner = text[match.end() : match.end() + 1] in ("'", "\u2019")
                found.append(Mention(party, *match.span(), match.group(), owner))
        found.sort(key=lambda mention: (mention.start, -mention.end))
        kept: list[Mention] = []
        for mention in found:
            if not kept or mention.start >= kept[-1].end:
                kept.append(mention)
        return kept

    def canonical(self, text: str) -> str:
        """Write a text with the usual name of every party, for comparing wording; offsets change."""
        pieces, at = [], 0
        for mention in self.mentions(text):
            if mention.party != EVERYBODY:
                pieces += [text[at : mention.start], self.names[mention.party][0]]
                at = mention.end
        return "".join([*pieces, text[at:]])


@lru_cache(maxsize=64)
def parties(text: str) -> Parties:
    """Read the parties of a document."""
    pairs = [*_definitions(text), *_labels(text)]
    actors = Counter(_STARTS.sub("", match["term"]) for match in _ACTOR.finditer(text))
    terms = {term for term, count in actors.items() if count >= 2 and term.lower().split()[0] not in _NO_PARTY}
    terms |= {word.capitalize() for word in _ROLES if len(re.findall(rf"\b{word.capitalize()}\b", text)) >= 2}
    terms |= {match.group().title() for match in _COMPOUND.finditer(text)}
    groups: list[set[str]] = []
    roles = {term.lower() for term in terms}
    for term, name in pairs:
        if re.sub(r"^[Tt]he\s+", "", name).lower() in roles:
            name = ""  # "(the "Base Salary")" behind "the Company" names no party
        # A definition makes a party only if its term acts, is a role, or names a company.
        if term in terms or term.lower() in _ROLES or (name and _LEGAL_FORM.search(name)):
            _join(groups, {term, *_short(name, text)})
    for term in terms:
        _join(groups, {term})
    groups = [group for group in groups if any(text.count(name) for name in group)]
    for group in groups:
        group |= _synonyms(group, groups)
    ordered = [tuple(sorted(group, key=lambda name: (-text.count(name), name))) for group in groups]
    ordered.sort()
    numbers = {name.lower(): number for number, group in enumerate(ordered) for name in group}
    if not numbers:
        return Parties((), None, {})
    names = "|".join(re.escape(name) for name in sorted(numbers, key=len, reverse=True))
    return Parties(tuple(ordered), re.compile(rf"\b(?:{names})(?!\w)", re.IGNORECASE), numbers)


def _definitions(text: str) -> list[tuple[str, str]]:
    found, last = [], 0
    for match in _DEFINED.finditer(text[:12000]):
        before = re.split(
            r"(?:\b(?:between|by and between|BETWEEN|is|are|is made with)\b"
            r"|(?<!Inc)(?<!Ltd)(?<!Corp)(?<!Co)(?<!\.[A-Z])(?:[.;:]\s+|\n)|\)\s*(?:and|AND|And)\b)",
            text[max(last, match.start() - 320) : match.start()],
        )[-1]
        name = _NAME.search(before)
        # An address or a heading is no name: a name opens the phrase or carries a legal form.
        if name and name.start() > 6 and not _LEGAL_FORM.search(name.group()):
            name = None
        last = match.end()
        for term in (match["term"], match["second"]):
            if term:
                found.append(
                    (re.sub(r"^(?:the|The)\s+", "", term.strip(" ,.")), name.group().strip(" ,.") if name else "")
                )
    return found


def _labels(text: str) -> list[tuple[str, str]]:
    return [
        (match["term"], match["name"].strip(" ,."))
        for match in _LABELLED.finditer(text[:6000])
        if match["term"].lower() in _ROLES
    ]


def _short(name: str, text: str) -> set[str]:
    """Give a company's name with and without its legal form, and its first word if that stands for it alone."""
    if not name:
        return set()
    bare = _LEGAL_FORM.sub("", name).strip(" ,.")
    names = {name, bare} if bare else {name}
    first = bare.split()[0] if bare else ""
    if len(first) > 3 and first.lower() not in _NO_PARTY and first[0].isupper():
        names.add(first)
    return {entry for entry in names if len(entry) > 2}


def _join(groups: list[set[str]], names: set[str]) -> None:
    names = {name for name in names if name and name.lower() not in _NO_PARTY}
    if not names:
        return
    lowered = {name.lower() for name in names}
    touching = [group for group in groups if lowered & {name.lower() for name in group}]
    for group in touching:
        names |= group
        groups.remove(group)
    groups.append(names)


def _synonyms(group: set[str], groups: list[set[str]]) -> set[str]:
    known = {name.lower() for other in groups for name in other}
    return {
        synonym.title()
        for name in group
        for words in _GROUPS
        if name.lower() in words
        for synonym in words
        if sum(word in known for word in words) == 1 and synonym not in known
    }
