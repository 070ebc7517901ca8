"""SCORE's specificity: are an answer's claims specific, and verifiable in the knowledge base.

Takes the labels that judges gave and counts them. It asks no judge and knows no dimension by name beyond the two
presets: dimensions and weights are data.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from lemaj_core.errors import SettingsError
from lemaj_core.types import RunSettings, Score, Status


class Label(StrEnum):
    """What a judge says of one claim in one dimension."""

    YES = "yes"
    NO = "no"
    NA = "n/a"


_SPELLINGS = {"yes": Label.YES, "no": Label.NO, "n/a": Label.NA, "na": Label.NA, "": Label.NA}

# SCORE's hazard dimensions with the weights of the paper, and a legal set (ours, equal weights).
PRESETS: dict[str, dict[str, float]] = {
    "hazard": {"hazard": 0.6, "location": 0.2, "timeline": 0.1, "intensity": 0.1},
    "legal": {
        "party or obligation": 0.2,
        "clause reference": 0.2,
        "date or term": 0.2,
        "amount or threshold": 0.2,
        "jurisdiction": 0.2,
    },
}


OFFLINE_MEASURED = (
    "Offline, on the constructed sample on which the rules were set: 24 of 377 details in statements that experts call "
    "true were not borne out (6.4 %); of 34 statements with an error, 13 had a detail that was not."
)
"""What ``benchmarks/specificity.py`` reached on 2026-12-01; shown wherever the offline judges' numbers are."""


@dataclass(frozen=True, slots=True)
class SpecificityScore(Score):
    """Specificity with the share of each dimension behind it, in the order of the dimensions."""

    per_dimension: tuple[Score, ...] = ()


def read_label(label: str | None) -> Label:
    """Read a judge's label in any of the spellings that occur ("N/A", "NA", "Yes "); None is n/a.

    Raises
    ------
    SettingsError
        If it is none of yes, no, n/a.
    """
    found = _SPELLINGS.get((label or "").strip().lower())
    if found is None:
        raise SettingsError(f"label {label!r} is not yes, no or n/a")
    return found


def majority(labels: Sequence[str | None]) -> Label:
    """Give the label that most judges chose; a tie for the first place, and no label at all, is n/a.

    Parameters
    ----------
    labels : sequence of str or None, length k >= 0
        One label per judge; None stands for a judge that returned too few claims and counts as n/a.

    Returns
    -------
    Label

    References
    ----------
    SCORE, 3.1: a three-way tie is n/a. Other ties are n/a by our convention.

    Examples
    --------
    >>> majority(["yes", "no", "N/A"])
    <Label.NA: 'n/a'>
    """
    return _majority(tuple(labels))


@lru_cache(maxsize=4096)
def _majority(labels: tuple[str | None, ...]) -> Label:
    # Few combinations occur and they occur often: remembered, a run of 1,000 answers takes a third of the time.
    ranked = Counter(map(read_label, labels)).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return Label.NA
    return ranked[0][0]


def specificity(
    votes: Sequence[Sequence[Sequence[str | None]]],
    weights: Mapping[str, float] | Sequence[float] | None = None,
    *,
    all_na: str = "undefined",
) -> SpecificityScore:
    """Weighted mean over dimensions of yes / (yes + no), from the judges' votes.

    1. majority over the judges for each claim and dimension; 2. yes / (yes + no) per dimension, n/a left out;
    3. sum of weight x share over the defined dimensions / sum of their weights.

    Parameters
    ----------
    votes : nested sequence, ``votes[claim][dimension][judge]``
        Labels yes, no, n/a in any spelling. Shorter judge lists are padded with n/a to the longest.
    weights : mapping or sequence of float, optional
        One weight >= 0 per dimension; equal weights by default. Need not sum to 1.
    all_na : {"undefined", "zero"}
        What an answer gets whose dimensions are all n/a: undefined, or 0 as in the authors' code.

    Returns
    -------
    SpecificityScore
        In [0, 1]; undefined when there is no claim or every dimension is n/a.

    Raises
    ------
    SettingsError
        If the table is ragged, a label or weight does not fit, or ``all_na`` is not one of the two.

    References
    ----------
    SCORE (arXiv 2602.10017), 3.1.

    Examples
    --------
    >>> specificity([[["yes"] * 3, ["no"] * 3]], [0.6, 0.2]).value
    0.75
    """
    if all_na not in ("undefined", "zero"):
        raise SettingsError(f"all_na is {all_na!r}; it must be undefined or zero")
    dimensions = {len(claim) for claim in votes}
    if len(dimensions) > 1:
        raise SettingsError(f"claims have {sorted(dimensions)} dimensions; all must have the same")
    size = dimensions.pop() if dimensions else len(weights or ())
    share = _weights(weights, size)
    judges = max((len(labels) for claim in votes for labels in claim), default=0)
    shares = []
    for dimension in range(size):
        verdicts = [_majority(_padded(claim[dimension], judges)) for claim in votes]
        yes, no = verdicts.count(Label.YES), verdicts.count(Label.NO)
        shares.append(
            Score(yes / (yes + no), numerator=yes, denominator=yes + no)
            if yes + no
            else Score.undefined("not stated by any claim (n/a)", 0, 0)
        )
    counts = tuple((int(one.numerator or 0), int(one.denominator or 0)) for one in shares)
    value, top, bottom = _weighted(tuple(share), counts)
    if value is None:
        if all_na == "zero":
            return SpecificityScore(0.0, Status.SCORED, "all n/a, counted as 0 as the paper does", 0, 0, tuple(shares))
        reason = "every weighted dimension is n/a" if votes else "no claims"
        return SpecificityScore(None, Status.UNDEFINED, reason, 0, 0, tuple(shares))
    return SpecificityScore(value, Status.SCORED, None, top, bottom, tuple(shares))


@lru_cache(maxsize=16384)
def _weighted(weights: tuple[float, ...], counts: tuple[tuple[int, int], ...]) -> tuple[float | None, float, float]:
    """Weighted mean of the shares that exist, in exact fractions, with its two sums; None where none has a weight."""
    defined = [(Fraction(str(w)), Fraction(yes, of)) for w, (yes, of) in zip(weights, counts, strict=True) if of]
    bottom = sum((w for w, _ in defined), Fraction(0))
    top = sum((w * value for w, value in defined), Fraction(0))
    return (float(top / bottom) if bottom else None), float(top), float(bottom)


def votes_of(detail: Mapping[str, Any]) -> list[list[list[str | None]]]:
    """Labels as ``votes[claim][dimension][judge]`` from what was found out about an answer.

    A dimension that a claim does not state is not stored; all its votes are n/a.
    """
    judges = len(detail["judges"])
    unstated: list[str | None] = [None] * judges
    return [
        [
            [vote["label"] for vote in claim["cells"][name]] if name in claim["cells"] else unstated
            for name in detail["dimensions"]
        ]
        for claim in detail["claims"]
    ]


def answer_specificity(detail: Mapping[str, Any], *, all_na: str = "undefined") -> SpecificityScore:
    """Specificity of one answer from its stored votes, with the weights that it was examined with.

    Parameters
    ----------
    detail : mapping
        ``dimensions`` (name to weight), ``judges``, ``claims`` each with ``cells``: dimension to one vote per judge.
    all_na : {"undefined", "zero"}
        As in :func:`specificity`; votes do not depend on it, so it can be changed without a new run.

    Returns
    -------
    SpecificityScore
        Undefined without claims, or where every dimension is n/a.
    """
    return specificity(votes_of(detail), detail["dimensions"], all_na=all_na)


def scores(detail: Mapping[str, Any], settings: RunSettings) -> dict[str, Score]:
    """Give the metrics of the group from what was found out about an answer."""
    return {"specificity": answer_specificity(detail, all_na=settings.all_na)}


def _padded(labels: Sequence[str | None], judges: int) -> tuple[str | None, ...]:
    return (*labels, *[None] * (judges - len(labels))) if len(labels) < judges else tuple(labels)


def _weights(weights: Mapping[str, float] | Sequence[float] | None, size: int) -> list[float]:
    """Check the weights: one per dimension, finite, not negative."""
    given = weights.values() if isinstance(weights, Mapping) else weights
    found = [1.0] * size if given is None else list(given)
    if len(found) != size:
        raise SettingsError(f"{len(found)} weights for {size} dimensions")
    if not all(0 <= weight < float("inf") for weight in found):
        raise SettingsError(f"weights {found} must be finite and not negative")
    return found
