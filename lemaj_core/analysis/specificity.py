"""Specificity of a run as tables: what every answer states in each dimension, every single vote, and models compared.

Counts stored votes anew with whatever convention the reader chose; asks nobody. Undefined and failed answers keep
their reason and are in no mean.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from lemaj_core.analysis.summary import Mean, mean
from lemaj_core.metrics.specificity import Label, SpecificityScore, answer_specificity, majority
from lemaj_core.types import Finding, Status

YES, STATED, SEEN, SPLIT = "yes: ", "stated: ", "seen: ", "split: "
"""Prefixes of the columns that :func:`table` has for each dimension."""


def table(findings: Iterable[Finding], *, all_na: str = "undefined") -> tuple[dict[str, float], pd.DataFrame]:
    """Count a run: its dimensions, and one row per answer.

    Parameters
    ----------
    findings : iterable of Finding
        Of the group specificity, at most one per answer; each is needed once only, so they need not fit into memory.
    all_na : {"undefined", "zero"}
        What an answer gets that states nothing in any dimension.

    Returns
    -------
    dict
        Dimensions with their weights, those of the first answer that was examined; empty if none was.
    pandas.DataFrame
        item_id, specificity, status, reason, claims, and for every dimension ``yes: NAME`` and ``stated: NAME`` (claims
        by majority), ``seen: NAME`` (claims in which any judge found it) and ``split: NAME`` (those on which the judges
        do not agree).
    """
    names: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    for one in findings:
        row: dict[str, Any] = {"item_id": one.item_id, "claims": 0}
        if one.status is Status.SCORED:
            names = names or dict(one.detail["dimensions"])
            score = answer_specificity(one.detail, all_na=all_na)
            row |= {"specificity": score.value, "status": str(score.status), "reason": score.reason}
            row |= {"claims": len(one.detail["claims"]), **_counts(one, score)}
        else:
            row |= {"specificity": None, "status": str(one.status), "reason": one.reason}
        rows.append(row)
    counts = [prefix + name for name in names for prefix in (YES, STATED, SEEN, SPLIT)]
    frame = pd.DataFrame(rows, columns=["item_id", "specificity", "status", "reason", "claims", *counts])
    whole = {name: frame[name].fillna(0).astype(int) for name in counts}
    return names, frame.assign(specificity=frame["specificity"].astype(float), **whole)


def _counts(one: Finding, score: SpecificityScore) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, share in zip(one.detail["dimensions"], score.per_dimension, strict=True):
        cast = [claim["cells"][name] for claim in one.detail["claims"] if name in claim["cells"]]
        found[YES + name] = int(share.numerator or 0)
        found[STATED + name] = int(share.denominator or 0)
        found[SEEN + name] = len(cast)
        found[SPLIT + name] = sum(len({vote["label"] for vote in votes}) > 1 for votes in cast)
    return found


def votes(findings: Iterable[Finding]) -> pd.DataFrame:
    """Every vote of every judge, one row each, for downloads: claims by number, with evidence and reason."""
    rows = [
        {
            "item_id": one.item_id,
            "claim": number,
            "claim_text": claim["text"],
            "dimension": name,
            "judge": judge,
            "label": vote["label"],
            "found": "; ".join(vote["found"]),
            "majority": str(majority([each["label"] for each in cast])),
            "evidence": " | ".join(place["quote"] for place in vote["evidence"]),
            "reason": vote["reason"],
        }
        for one in findings
        if one.status is Status.SCORED
        for number, claim in enumerate(one.detail["claims"], start=1)
        for name, cast in claim["cells"].items()
        for judge, vote in zip(one.detail["judges"], cast, strict=True)
    ]
    columns = "item_id claim claim_text dimension judge label found majority evidence reason".split()
    return pd.DataFrame(rows, columns=columns)


def profile(answers: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Compare models dimension by dimension.

    Parameters
    ----------
    answers : pandas.DataFrame
        Rows of :func:`table` with a column ``model``.
    names : sequence of str
        Dimensions.

    Returns
    -------
    pandas.DataFrame
        model, dimension, mean, low, high (share of yes per answer, with its 95 % interval over answers), answers (in
        which the dimension is stated), yes and stated (claims).
    """
    rows = []
    named = answers["model"].astype(object).where(answers["model"].notna(), "no model named")
    for model, part in answers.groupby(named, sort=True):
        for name in names:
            stated = part[part[STATED + name] > 0]
            shares = stated[YES + name] / stated[STATED + name]
            found: Mean = mean(shares.to_numpy(dtype=float), ["scored"] * len(shares))
            rows.append(
                {
                    "model": str(model), "dimension": name, "mean": found.mean, "low": found.low, "high": found.high,
                    "answers": found.n_scored, "yes": int(stated[YES + name].sum()),
                    "stated": int(stated[STATED + name].sum()),
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns="model dimension mean low high answers yes stated".split())


def agreement(answers: pd.DataFrame, names: Sequence[str]) -> tuple[int, int]:
    """Count cells (claim and dimension) on which all judges agree, and all in which any judge found something."""
    seen = int(sum(answers[SEEN + name].sum() for name in names))
    return seen - int(sum(answers[SPLIT + name].sum() for name in names)), seen


def verdict(cast: Sequence[dict[str, Any]]) -> Label:
    """Majority over the votes of one cell."""
    return majority([vote["label"] for vote in cast])
