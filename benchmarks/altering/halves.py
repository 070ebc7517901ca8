"""Two honest looks at the offline judge: thresholds chosen on one half and tried on the other, and unseen clauses.

The halves are whole tasks (a claim or a clause question with all its contracts), so that no question stands in both.
The unseen clauses come from contracts that no rule was written with: their figures are reported as first seen.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Half(NamedTuple):
    """A threshold chosen on one half and the balanced accuracy there, on the other half, and of the product's own."""

    threshold: float
    chosen_on: float
    other: float
    product: float
    n: int


def _is_first(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def balanced(scores: np.ndarray, truth: np.ndarray, threshold: float) -> float:
    """Mean of the shares judged right among the true and among the false."""
    said = scores >= threshold
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2)


def halved(scores: Sequence[float], truth: Sequence[bool], tasks: Sequence[str], product: float) -> Half:
    """Choose the threshold of best balanced accuracy on half of the tasks; try it, and the product's, on the rest."""
    values, right = np.array(scores), np.array(truth)
    first = np.array([_is_first(task) for task in tasks])
    steps = np.unique(values[first])
    best = max((balanced(values[first], right[first], step), step) for step in steps)
    rest = values[~first], right[~first]
    return Half(float(best[1]), best[0], balanced(*rest, float(best[1])), balanced(*rest, product), int((~first).sum()))


def clauses(rows: Sequence[dict[str, str]], most: int) -> list[str]:
    """Join clauses of many contracts into texts as long as a contract, each contract's clauses in one text only."""
    texts: list[list[str]] = [[] for _ in range(most)]
    seen = set()
    for row in rows:
        if row["context"] in seen:
            continue
        seen.add(row["context"])
        place = hashlib.sha256(row["document_name"].encode()).digest()[1] % most
        texts[place].append(row["context"].strip())
    return ["\n\n".join(text) for text in texts if text]
