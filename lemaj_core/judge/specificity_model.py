"""Specificity by language models: what they are asked, and how their replies are read.

One request splits the answer into claims; then k requests, to one model or to k, have every claim labelled in every
dimension. Pure: it builds requests and reads replies. A reply is taken whole or not at all, but a judge may label too
few claims: the others are n/a for it, and a note says so.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any, NamedTuple

from lemaj_core.errors import SettingsError
from lemaj_core.judge import prompt
from lemaj_core.judge.dialogue import listed
from lemaj_core.judge.local_points import Statement, statements
from lemaj_core.judge.parse import Unreadable, by_letters, excerpt
from lemaj_core.metrics.specificity import Label, read_label
from lemaj_core.text import normalise
from lemaj_core.text.locate import locate
from lemaj_core.types import FailureKind, Item, Request

MOST_CLAIMS = 500
TEMPERATURE = 0.7
_FILES = ("specificity_claims", "specificity_votes", "specificity_repair")
_PLACES = ("location", "place")
_PLACE_RULE = " For a place it is enough that the sources speak of the same state."
MEANINGS: Mapping[str, str] = {
    "hazard": "a named natural hazard (coastal flooding, heat wave, wildfire)",
    "location": "a named place: county, city, state or region",
    "timeline": "a date, a period, a range of years or a planning horizon",
    "intensity": "how strong or frequent: a measure, a category, a return period, a share, a word of severity",
    "party or obligation": "who is meant (a party by name or role), or what somebody must, may or must not do",
    "clause reference": "a section, clause, article, schedule or other part of the document, by number or name",
    "date or term": "a date, a period, a deadline or a duration",
    "amount or threshold": "a sum, a percentage, a cap, a number of things",
    "jurisdiction": "the law of a place, a court, a state or a country",
}

_CLAIMS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["quote", "text"],
    "properties": {"quote": {"type": "string"}, "text": {"type": "string"}},
}
_VOTES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["claim", "labels"],
    "properties": {
        "claim": {"type": "integer"},
        "labels": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["dimension", "found", "evidence", "reason", "label"],
                "properties": {
                    "dimension": {"type": "string"},
                    "found": {"type": "string"},
                    "evidence": {"type": "array", "items": {"type": "string"}},
                    "reason": {"type": "string"},
                    "label": {"type": "string", "enum": [str(label) for label in Label]},
                },
            },
        },
    },
}


class Votes(NamedTuple):
    """Labels of one judge: for every claim a vote by dimension; ``missing`` counts claims it said nothing of."""

    by_claim: tuple[Mapping[str, Mapping[str, Any]], ...]
    missing: int


def version() -> str:
    """Name of the form of the replies and hash of the prompts."""
    digest = hashlib.sha256("\0".join(prompt.template(name) for name in _FILES).encode())
    digest.update(json.dumps([dict(MEANINGS), _PLACE_RULE]).encode())
    return f"specificity/1+{digest.hexdigest()[:12]}"


def repair(problem: str) -> str:
    """Build the message that asks for a usable reply."""
    return Template(prompt.template("specificity_repair")).substitute(problem=problem)


def claims_request(item: Item, model: str, base_url: str | None, repeat: int = 0) -> Request:
    """Build the request that has an answer split into claims."""
    body = _fenced({"QUESTION": item.question, "ANSWER": item.answer})
    return Request(
        model=model,
        messages=(
            {"role": "system", "content": prompt.template("specificity_claims")},
            {"role": "user", "content": f"{body}\n\nSplit the ANSWER above. Reply with the one JSON object."},
        ),
        parameters={"temperature": 0, "seed": repeat, "max_tokens": max(2048, len(item.answer))},
        base_url=base_url,
        schema=_schema("claims", _CLAIMS_SCHEMA),
        schema_version=version(),
        repeat=repeat,
    )


def votes_request(
    item: Item,
    source: str,
    claims: Sequence[str],
    dimensions: Sequence[str],
    model: str,
    base_url: str | None,
    *,
    repeat: int = 0,
    alone: bool = False,
) -> Request:
    """Build the request that has claims labelled.

    ``repeat`` differs from judge to judge of one model, or all would be one call; ``alone`` is a model that votes once,
    and at temperature 0.
    """
    numbered = "\n".join(f"{number}. {' '.join(claim.split())}" for number, claim in enumerate(claims, start=1))
    listed_dimensions = "\n".join(
        f'- "{name}"' + (f": {MEANINGS[name]}" if name in MEANINGS else "") for name in dimensions
    )
    rule = _PLACE_RULE if any(name.lower() in _PLACES for name in dimensions) else ""
    system = Template(prompt.template("specificity_votes")).substitute(dimensions=listed_dimensions, place_rule=rule)
    body = _fenced({"SOURCES": source, "QUESTION": item.question, "CLAIMS": numbered})
    closing = f"Label the {len(claims)} CLAIMS above. Reply with the one JSON object."
    return Request(
        model=model,
        messages=(
            {"role": "system", "content": system},
            {
                "role": "user",
                "content": f"{body}\n\n{closing}",
            },
        ),
        parameters={
            "temperature": 0 if alone else TEMPERATURE,
            "seed": repeat,
            "max_tokens": max(4096, expected_tokens(len(claims), len(dimensions)) * 2),
        },
        base_url=base_url,
        schema=_schema("votes", _VOTES_SCHEMA),
        schema_version=version(),
        repeat=repeat,
    )


def expected_tokens(claims: int, dimensions: int) -> int:
    """Tokens that a vote is likely to have: about two stated dimensions a claim, with quotes and a reason."""
    return 100 + 160 * claims * min(2, dimensions)


def read_claims(answer: str, text: str | None, finish_reason: str | None) -> list[Statement] | Unreadable:
    """Read a split answer; a claim is placed in the answer where its quote is, or nowhere (``start == end``)."""
    given = listed(text, finish_reason, "claims")
    if isinstance(given, Unreadable):
        return given
    if len(given) > MOST_CLAIMS:
        return Unreadable(FailureKind.MALFORMED, f"the reply has {len(given):,} claims; at most {MOST_CLAIMS} are read")
    claims: list[Statement] = []
    for number, one in enumerate(given, start=1):
        fields = by_letters(one) if isinstance(one, dict) else {"text": one}
        quote, said = _words(fields.get("quote")), _words(fields.get("text"))
        if not said and not quote:
            return Unreadable(FailureKind.MALFORMED, f"claim {number} has no text")
        near = claims[-1].start if claims else 0
        place = locate(quote or said, answer, near=near) or locate(said or quote, answer, near=near)
        start, end = (place.start, place.end) if place else (near, near)
        claims.append(Statement(start, end, said or quote))
    return claims


def read_votes(
    text: str | None, finish_reason: str | None, claims: int, dimensions: Sequence[str]
) -> Votes | Unreadable:
    """Read the labels of one judge.

    Refused as a whole: a claim number that was not given or is given twice, a label that was not offered. Dimensions
    that nobody asked for are passed over.
    """
    given = listed(text, finish_reason, "claims")
    if isinstance(given, Unreadable):
        return given
    rows: dict[int, dict[str, dict[str, Any]]] = {}
    known = {_key(name): name for name in dimensions}
    try:
        for place, one in enumerate(given, start=1):
            if not isinstance(one, dict):
                raise _Refused(f"entry {place} is not an object")
            fields = by_letters(one)
            number = _number(fields.get("claim", fields.get("id", place)))
            if number is None or not 1 <= number <= claims:
                raise _Refused(f"entry {place} is about claim {fields.get('claim')!r}; there are {claims} claims")
            if number in rows:
                raise _Refused(f"claim {number} is labelled twice")
            rows[number] = _labels(fields.get("labels"), known, number)
    except _Refused as refused:
        return Unreadable(FailureKind.MALFORMED, str(refused))
    return Votes(tuple(rows.get(number, {}) for number in range(1, claims + 1)), claims - len(rows))


class _Refused(ValueError):
    """A reply that breaks a rule."""


def _labels(value: Any, known: Mapping[str, str], number: int) -> dict[str, dict[str, Any]]:
    if isinstance(value, dict):
        value = [
            {"dimension": name, **one} if isinstance(one, dict) else {"dimension": name, "label": one}
            for name, one in value.items()
        ]
    if not isinstance(value, list):
        raise _Refused(f"claim {number} has no list of labels")
    found: dict[str, dict[str, Any]] = {}
    for one in value:
        fields = by_letters(one) if isinstance(one, dict) else {}
        name = known.get(_key(str(fields.get("dimension", ""))))
        if name is None or name in found:
            continue
        try:
            label = read_label(str(fields.get("label") or "").strip(" .*_`\"'"))
        except SettingsError:
            said = excerpt(repr(fields.get("label")), 40)
            raise _Refused(f"claim {number} has the label {said} in {name!r}; it must be yes, no or n/a") from None
        quotes = fields.get("evidence")
        quotes = quotes if isinstance(quotes, list) else [quotes]
        found[name] = {
            "label": str(label),
            "found": [word] if (word := _words(fields.get("found"))) else [],
            "quotes": [quote for one in quotes[:20] if (quote := _words(one))],
            "reason": _words(fields.get("reason")),
        }
    return found


def _schema(name: str, item: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": f"specificity_{name}",
        "strict": True,
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["claims"],
            "properties": {"claims": {"type": "array", "items": item}},
        },
    }


def _fenced(pieces: Mapping[str, str]) -> str:
    shown = {name: prompt.visible(text) for name, text in pieces.items()}
    everything = "\n".join(shown.values())
    return "\n\n".join(prompt.fenced(name, text, everything) for name, text in shown.items())


def _key(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return int(value.strip()) if isinstance(value, str) and value.strip().isdecimal() and len(value) < 9 else None


def _words(value: Any) -> str:
    return normalise(value).strip() if isinstance(value, str) else ""


def likely_claims(answer: str) -> list[str]:
    """Guess the claims of an answer by its sentences, to price a run before anybody was asked."""
    return [one.text for one in statements(answer)] or [answer]
