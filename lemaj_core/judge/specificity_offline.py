"""Three offline judges of specificity: they read the same things in a claim and differ in what counts as evidence.

"exact" wants the words as they stand, "normalised" the same value in any form, "semantic" the same or nearly the same
in one of the passages nearest in meaning to the claim. A value (an amount, a period, a measure) is evidence only in a
passage that shares words with the claim: "30 days" stands somewhere in every contract. They compare; they draw no
conclusion, and what no reader can find in a claim is n/a for all three.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from lemaj_core.judge.extract import Found, find, reader_of
from lemaj_core.judge.local_align import support
from lemaj_core.judge.local_check import bare
from lemaj_core.judge.local_facts import Fact, Kind
from lemaj_core.judge.local_parties import parties
from lemaj_core.judge.local_passages import Passages, prepare
from lemaj_core.judge.local_points import Statement
from lemaj_core.judge.local_words import content, read
from lemaj_core.judge.specificity_match import near, same
from lemaj_core.models.embed import encoder
from lemaj_core.text.folding import fold

JUDGES = ("exact", "normalised", "semantic")

_LONGEST = 2000
_MOST, _WINDOW, _FLOOR = 5, 0.10, 0.60
_SHARED, _SHARE, _FEW = 2, 4, 2


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What claims are held against, read once: passages, and what is specific in each."""

    passages: Passages
    found: tuple[tuple[Found, ...], ...]
    folded: tuple[str, ...]
    stems: tuple[frozenset[str], ...]


class Vote(NamedTuple):
    """What one judge says of one thing in a claim: whether it has evidence, the passage looked at, and why."""

    held: bool
    unit: int | None
    reason: str


class Nearby(NamedTuple):
    """A passage near in meaning to a claim."""

    unit: int
    score: float


def readable(dimensions: Sequence[str], preset: str) -> dict[str, str | None]:
    """Give the reader that serves each dimension; None where none does, and only a model can judge it."""
    if preset != "own":
        return {name: name for name in dimensions}
    return {name: reader_of(name) for name in dimensions}


@lru_cache(maxsize=24)
def material(text: str, preset: str, wanted: tuple[str, ...]) -> Material:
    """Read the source; the last few are remembered, because many answers are about one contract."""
    passages = prepare(text)
    units = [passages.words(unit) for unit in passages.units]
    return Material(
        passages,
        tuple(tuple(find(unit, preset, text, wanted)) for unit in units),
        tuple(fold(unit).text for unit in units),
        tuple(_stems(unit) for unit in units),
    )


def cells(
    claims: Sequence[Statement], source: str, preset: str, dimensions: Sequence[str]
) -> list[dict[str, list[dict[str, Any]]]]:
    """Judge claims in every dimension that can be read.

    Parameters
    ----------
    claims : sequence of Statement
        Claims of one answer.
    source : str
        The document, or the contexts joined; not empty.
    preset : {"hazard", "legal", "own"}
        Which readers.
    dimensions : sequence of str
        Names of the dimensions.

    Returns
    -------
    list of dict
        For each claim its dimensions with one vote per judge: label, what was found, evidence (offsets into the
        source), reason. A dimension that is not stated in the claim is left out: n/a for every judge.
    """
    served = readable(dimensions, preset)
    wanted = tuple(dict.fromkeys(reader for reader in served.values() if reader is not None))
    if not claims or not wanted:
        return [{} for _ in claims]
    against = material(source, preset, wanted)
    known = parties(source)
    encoded = encoder().encode([known.canonical(bare(claim.text))[:_LONGEST] for claim in claims])
    result = []
    for claim, vector in zip(claims, encoded, strict=True):
        held = support(vector, against.passages)
        nearby = [
            Nearby(unit, score)
            for unit, score in list(zip(held.units, held.unit_scores, strict=True))[:_MOST]
            if score >= max(_FLOOR, held.unit_scores[0] - _WINDOW)
        ]
        stated = find(claim.text, preset, source, wanted)
        row = {}
        for name, reader in served.items():
            mine = [one for one in stated if one.dimension == reader]
            if mine:
                row[name] = _votes(claim.text, mine, against, nearby)
        result.append(row)
    return result


def _votes(claim: str, stated: list[Found], against: Material, nearby: list[Nearby]) -> list[dict[str, Any]]:
    """One vote per judge on all that a claim states in one dimension: yes only if all of it has evidence."""
    votes = []
    for judge in (_exact, _normalised, _semantic):
        said = [judge(claim, one, against, nearby) for one in stated]
        held = all(vote.held for vote in said)
        votes.append(
            {
                "label": "yes" if held else "no",
                "found": list(dict.fromkeys(one.text for one in stated)),
                # What is borne out is no evidence for a "no".
                "evidence": _evidence(against, [vote for vote in said if vote.held == held]),
                "reason": "; ".join(dict.fromkeys(vote.reason for vote in sorted(said, key=lambda vote: vote.held))),
            }
        )
    return votes


def _exact(claim: str, one: Found, against: Material, nearby: list[Nearby]) -> Vote:
    form = fold(one.text).text.strip()
    forms = {form, form.removesuffix("s")} if one.kind in ("hazard", "word") else {form}
    if one.kind == "place" and isinstance(one.value, tuple) and one.value[1]:
        forms.add(one.value[1].lower())  # SCORE: a state match is enough
    plural = "(?:s|es)?" if one.kind in ("hazard", "word") else ""
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(form)}{plural}(?!\w)" for form in sorted(forms)))
    hits = [unit for unit, text in enumerate(against.folded) if pattern.search(text)]
    return _chosen(claim, one, against, hits, "stands word for word in", "stands nowhere in the source word for word")


def _normalised(claim: str, one: Found, against: Material, nearby: list[Nearby]) -> Vote:
    hits = [
        unit
        for unit, found in enumerate(against.found)
        if any(same(one, other) for other in found) or _is_section(one, against, unit)
    ]
    return _chosen(claim, one, against, hits, "is also stated in", "is stated nowhere in the source in any form")


def _semantic(claim: str, one: Found, against: Material, nearby: list[Nearby]) -> Vote:
    if not nearby:
        return Vote(False, None, f"no passage is near in meaning to the claim that states {_quoted(one)}")
    for unit in _around(one, against, nearby):
        hit = next((other for other in against.found[unit] if near(one, other)), None)
        if hit is not None or _is_section(one, against, unit):
            said = "" if hit is None or same(one, hit) else f" (there: {_quoted(hit)})"
            return Vote(True, unit, f"{_quoted(one)} is borne out by {_where(against, unit)}, near in meaning{said}")
    unit = nearby[0].unit
    others = [other for other in against.found[unit] if other.kind == one.kind and _comparable(one, other)]
    if others:
        said = f"{_where(against, unit)}, nearest in meaning, says {_quoted(others[0])} and not {_quoted(one)}"
    else:
        said = f"the passages nearest in meaning do not say {_quoted(one)}"
    return Vote(False, unit, said)


def _around(one: Found, against: Material, nearby: list[Nearby]) -> list[int]:
    """Passages to look at: those near in meaning; for a name also what stands around them, since it is said once."""
    units = [unit for unit, _ in nearby]
    if _is_value(one):
        return units
    chunks = dict.fromkeys(against.passages.units[unit].chunk for unit in units)
    beside = [number for number, unit in enumerate(against.passages.units) if unit.chunk in chunks]
    return list(dict.fromkeys([*units, *beside]))


def _chosen(claim: str, one: Found, against: Material, hits: list[int], yes: str, no: str) -> Vote:
    """Take the passage that shares most words with the claim, for a value only if it shares enough."""
    if not hits:
        return Vote(False, None, f"{_quoted(one)} {no}")
    mine = _stems(claim[: one.start] + " " + claim[one.end :])
    shared = {unit: len(mine & against.stems[unit]) for unit in hits}
    best = max(hits, key=lambda unit: (shared[unit], -unit))
    # "25 % below 97.0 %" has no word to share.
    enough = len(mine) < _FEW or shared[best] >= min(_SHARED, max(1, len(mine) // _SHARE))
    if _is_value(one) and not enough:
        return Vote(False, best, f"{_quoted(one)} {yes.replace('in', 'only in', 1)} passages about other matters")
    return Vote(True, best, f"{_quoted(one)} {yes} {_where(against, best)}")


def _is_value(one: Found) -> bool:
    """Whether a thing says little alone: values and duties stand everywhere, names do not."""
    if isinstance(one.value, Fact):
        return one.value.kind is not Kind.SECTION
    return one.kind in ("time", "measure", "severity", "obligation")


def _comparable(one: Found, other: Found) -> bool:
    if isinstance(one.value, Fact) and isinstance(other.value, Fact):
        return one.value.kind is other.value.kind
    return True


def _is_section(one: Found, against: Material, unit: int) -> bool:
    """Whether a passage stands in the section that a claim names."""
    if not isinstance(one.value, Fact) or one.value.kind is not Kind.SECTION or one.value.unit != "section":
        return False
    label = against.passages.units[unit].label.removeprefix("Section ").lower()
    named = str(one.value.value)
    return bool(label) and (label == named or label.startswith((named + ".", named + "(")))


def _evidence(against: Material, said: list[Vote]) -> list[dict[str, Any]]:
    units = dict.fromkeys(vote.unit for vote in said if vote.unit is not None)
    found = [against.passages.units[unit] for unit in units]
    return [{"quote": against.passages.words(unit), "start": unit.start, "end": unit.end} for unit in found]


def _where(against: Material, unit: int) -> str:
    return against.passages.units[unit].label or "a passage of the source"


def _quoted(one: Found) -> str:
    return f"“{' '.join(one.text.split())}”"


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in read(text) if content(word) and not word.text[0].isdigit())
