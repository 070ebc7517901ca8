"""Context utilization of a run: one row per answer and proxy, proxies compared, and what the judge cites beside it.

Works on findings and on the evidence of a judge's data points. It never fills in what a proxy could not score.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from lemaj_core.analysis.summary import mean
from lemaj_core.metrics.context_utilization import Relation, effects_of, relation
from lemaj_core.types import Evidence, Finding, Status

COLUMNS = (
    "item_id", "proxy", "status", "reason", "cu", "cu_rel", "full", "full_documents", "claims", "approximate",
    "check_pearson", "check_same",
)  # fmt: skip


def per_proxy(findings: Iterable[Finding]) -> pd.DataFrame:
    """Give one row per answer and proxy, the rows of the run's first proxy first.

    ``cu_status`` and ``cu_rel_status`` say which scores exist; ``check_pearson`` and ``check_same`` hold how well a
    fast score agreed with the exact one on the answers of a fast run that were scored in both ways.
    """
    rows = []
    for one in findings:
        row: dict[str, Any] = dict.fromkeys(COLUMNS) | {
            "item_id": one.item_id, "proxy": one.by, "status": str(one.status), "reason": one.reason, "claims": 0,
            "place": one.detail.get("place", 0),
            "cu_status": str(one.status), "cu_rel_status": str(one.status), "approximate": False,
        }  # fmt: skip
        if one.status is Status.SCORED:
            effects, check = effects_of(one.detail), one.detail.get("check") or {}
            row |= {
                "cu": effects.cu.value, "cu_status": str(effects.cu.status),
                "cu_rel": effects.cu_rel.value, "cu_rel_status": str(effects.cu_rel.status),
                "full": one.detail["full"], "full_documents": one.detail.get("full_documents"),
                "claims": len(one.detail["claims"]), "approximate": bool(one.detail.get("approximate")),
                "check_pearson": check.get("pearson"), "check_same": check.get("same_strongest"),
            }  # fmt: skip
        rows.append(row)
    table = pd.DataFrame(rows, columns=[*COLUMNS, "cu_status", "cu_rel_status", "place"])
    table = table.sort_values("place", kind="stable", ignore_index=True)
    numbers = ["cu", "cu_rel", "full", "full_documents", "check_pearson"]
    return table.assign(**{name: pd.to_numeric(table[name]) for name in numbers})


def by_proxy(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Give each proxy's means with their counts, and rho(f(q, C), f(q, D)) over the answers that have both.

    Published proxies reach .9 and more; a proxy whose confidence in the claims says nothing of its confidence in the
    documents reads something else than the context.
    """
    return [
        {
            "proxy": proxy,
            "cu": mean(part["cu"], part["cu_status"], -1.0, 1.0),
            "cu_rel": mean(part["cu_rel"], part["cu_rel_status"], float("-inf"), 1.0),
            "full": part["full"].mean(),
            "rho": relation(part["full"], part["full_documents"], ranks=True),
        }
        for proxy, part in table.groupby("proxy", sort=False)
    ]


def pairs(table: pd.DataFrame, key: str = "cu") -> list[tuple[str, str, Relation]]:
    """Correlate a score between every two proxies over the answers that both have scored."""
    wide = table.pivot(index="item_id", columns="proxy", values=key)
    names = list(dict.fromkeys(table["proxy"]))
    return [(one, other, relation(wide[one], wide[other])) for one, other in combinations(names, 2)]


def cited(claims: Sequence[Mapping[str, Any]], evidence: Sequence[Evidence]) -> list[bool]:
    """Say which claims a judge points at: half of the shorter one is shared, or, without a place, the words are.

    Parameters
    ----------
    claims : sequence of mapping
        As a finding holds them: text, document, start, end.
    evidence : sequence of Evidence
        Of the data points that are in the answer; what an answer leaves out was not used for it.
    """
    quotes = [(one, _bare(one.quote)) for one in evidence if _bare(one.quote)]
    return [any(_points_at(claim, one, quote) for one, quote in quotes) for claim in claims]


def _points_at(claim: Mapping[str, Any], one: Evidence, quote: str) -> bool:
    start, end = claim.get("start"), claim.get("end")
    if start is not None and end is not None and one.start is not None and one.end is not None:
        if claim.get("document") != one.document_id:
            return False
        shared = min(end, one.end) - max(start, one.start)
        return shared > 0 and 2 * shared >= min(end - start, one.end - one.start)
    said = _bare(str(claim["text"]))
    return said in quote or quote in said


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .;,")
