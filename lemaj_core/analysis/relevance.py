"""Answer relevance over a run: how much of the similarity is left when the specific words are masked.

Works on findings; a mean of similarities is taken as the metric takes it. It fills nothing in.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from lemaj_core.metrics.relevance import mean_similarity
from lemaj_core.types import Finding

MASKED, UNMASKED = "masked", "unmasked"
_HEAD = re.compile(r"^\s*(?:[-*\u2022\u2013\u25e6]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+(?=\S)")


def pairs(findings: Iterable[Finding]) -> pd.DataFrame:
    """Give masked and unmasked similarity of every answer that has both and in which something was masked.

    Returns
    -------
    pandas.DataFrame
        Columns item_id, masked, unmasked.
    """
    rows = []
    for one in findings:
        if not one.detail.get("hidden"):
            continue
        found = [mean_similarity(one.detail.get(name, ())).value for name in ("questions", "unmasked")]
        if None not in found:
            rows.append((one.item_id, *found))
    return pd.DataFrame(rows, columns=["item_id", MASKED, UNMASKED])


def reordered(detail: Mapping[str, Any], answer: str) -> list[dict[str, Any]]:
    """Give the points of an answer in their new order, each without its number, with its Delta and its old place."""
    points: Sequence[Sequence[int]] = detail.get("points", ())
    return [
        {"text": _HEAD.sub("", answer[slice(*points[index])]), "delta": float(detail["delta"][index]), "was": index + 1}
        for index in detail.get("order", ())
    ]


def changed_orders(findings: Iterable[Finding]) -> tuple[int, int]:
    """Count the answers whose order changed, and those that have an order at all."""
    details = [one.detail for one in findings if len(one.detail.get("points", ())) > 1]
    return sum(bool(detail["changed"]) for detail in details), len(details)
