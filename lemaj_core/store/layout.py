"""Rows of the store laid out as columns over all answers: judged values put in their places, scores pivoted.

Pure numpy; no query stands here.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from lemaj_core.metrics.data_points import score_counts

COUNTS = ("correct", "incorrect", "irrelevant", "missing", "untagged")


def as_words(values: Sequence[Any]) -> np.ndarray:
    """Keep values as they are, None included."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def as_numbers(values: Sequence[Any]) -> np.ndarray:
    """Turn values into floats; None becomes NaN."""
    return np.array(values, dtype=np.float64)


class Spread:
    """Values of judged answers laid out over all answers, judged or not."""

    def __init__(self, spots: np.ndarray, size: int):
        self.spots, self.size = spots, size

    def words(self, values: Sequence[Any], absent: str | None = None) -> np.ndarray:
        """Lay out words, ``absent`` where nothing was judged."""
        return self._lay(np.full(self.size, absent, dtype=object), as_words(values))

    def counts(self, values: Sequence[int]) -> np.ndarray:
        """Lay out counts, 0 where nothing was judged."""
        return self._lay(np.zeros(self.size, dtype=np.int64), np.array(values, dtype=np.int64))

    def _lay(self, out: np.ndarray, values: np.ndarray) -> np.ndarray:
        known = self.spots >= 0
        out[self.spots[known]] = values[known]
        return out


def pivot(
    scores: Mapping[str, Sequence[Any]], judgement_ids: Sequence[int], spread: Spread, keys: Sequence[str]
) -> dict[str, Any]:
    """Turn one row per score into five columns per metric; a metric of the run without scores has them too."""
    ids = np.array(judgement_ids, dtype=np.int64)  # ascending, as selected
    owner = np.searchsorted(ids, np.array(scores["judgement_id"], dtype=np.int64))
    metric = as_words(scores["metric"])
    words = {name: as_words(scores[name]) for name in ("status", "reason")}
    numbers = {name: as_numbers(scores[name]) for name in ("value", "numerator", "denominator")}
    columns: dict[str, Any] = {}
    for key in dict.fromkeys((*keys, *scores["metric"])):
        chosen = np.flatnonzero(metric == key)
        spots = spread.spots[owner[chosen]]
        chosen, spots = chosen[spots >= 0], spots[spots >= 0]
        for name, values, absent in (
            (key, numbers["value"], np.nan),
            (f"{key}_status", words["status"], None),
            (f"{key}_reason", words["reason"], None),
            (f"{key}_numerator", numbers["numerator"], np.nan),
            (f"{key}_denominator", numbers["denominator"], np.nan),
        ):
            out = np.full(spread.size, absent, dtype=values.dtype)
            out[spots] = values[chosen]
            columns[name] = out
    return columns


def expert(
    items: Mapping[str, Sequence[Any]], labels: Mapping[str, Sequence[Any]], place: Mapping[str, int], beta: float
) -> dict[str, np.ndarray]:
    """Scores by people: the uploaded ones, else those of the answer's first label set, else those of its tags."""
    experts = {name: as_numbers(items[f"human_{name}"]) for name in ("correctness", "relevance")}
    by_tags = cache(lambda *counts: score_counts(*counts, beta=beta))
    for number, item_id in enumerate(labels["item_id"]):
        spot = place[item_id]
        tagged = by_tags(*(labels[name][number] for name in COUNTS[:4]))
        for name, values in experts.items():
            if np.isnan(values[spot]):
                stated = labels[name][number]
                value = getattr(tagged, name).value if stated is None else stated
                values[spot] = np.nan if value is None else value
    return {f"human_{name}": values for name, values in experts.items()}


def extras(stored: Sequence[str | None], width: int, taken: Collection[str]) -> dict[str, Any]:
    """Spread the columns of the user's file, stored as JSON objects; ``x_`` marks a name that is taken."""
    # one text for all: the parser is quick, starting it is not
    rows: list[dict[str, Any] | None] = json.loads(f"[{','.join(row or 'null' for row in stored)}]")
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in rows if row for name in row):
        key = name
        while key in taken or key in columns:
            key = f"x_{key}"
        values = [row.get(name) if row else None for row in rows]
        kinds = {type(value) for value in values}
        floats = kinds <= {int, float, type(None)} and kinds != {int}
        columns[key] = np.repeat(as_numbers(values) if floats else as_words(values), width)
    return columns
