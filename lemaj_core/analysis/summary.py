"""How good are the answers of a run: means with their interval and with what was left out of them.

Works on the frame of ``Store.answers``. It never fills an undefined or failed score in: those are counted beside the
mean.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special  # scipy.stats takes a second to import, and the pages wait for it

from lemaj_core.metrics.table import METRICS, Metric
from lemaj_core.types import Status, Tag

WAITING = "waiting"


class Mean(NamedTuple):
    """A mean over the scored answers. ``mean`` is None when none is scored, the interval when n is too small."""

    mean: float | None
    low: float | None
    high: float | None
    n_scored: int
    n_undefined: int
    n_failed: int
    n_total: int


def mean(
    values: pd.Series | np.ndarray,
    statuses: pd.Series | np.ndarray,
    low: float = 0.0,
    high: float = 1.0,
    *,
    level: float = 0.95,
) -> Mean:
    """Mean of the scored values with a confidence interval, and the counts of what is not in it.

    Parameters
    ----------
    values : array of float, shape (n,)
        Scores; entries whose status is not scored are ignored whatever they hold.
    statuses : array of str, shape (n,)
        scored, undefined, failed; waiting entries are in no count.
    low, high : float
        The range of the metric; the interval is cut to it. May be infinite.
    level : float
        Confidence level of the two-sided interval.

    Returns
    -------
    Mean
        Student's t interval. When all scores sit at one end of a bounded range their variance is 0 and t would claim
        certainty; then the interval is the exact binomial one for the share of answers at that end. None for fewer
        than two scores, and for equal scores elsewhere. Answers of one contract are not independent, so with few
        contracts the interval is too narrow.

    References
    ----------
    Equal to scipy.stats.ttest_1samp and scipy.stats.binomtest (Clopper-Pearson), as the tests hold.
    """
    statuses = np.asarray(statuses, dtype=object)
    scored = np.asarray(values, dtype=float)[statuses == Status.SCORED]
    counts = [int((statuses == status).sum()) for status in (Status.SCORED, Status.UNDEFINED, Status.FAILED)]
    return _with_counts(_interval(scored, low, high, level), counts)


def _with_counts(ends: tuple[float | None, float | None, float | None], counts: list[int]) -> Mean:
    n_scored, n_undefined, n_failed = counts
    return Mean(ends[0], ends[1], ends[2], n_scored, n_undefined, n_failed, sum(counts))


def _interval(
    scored: np.ndarray, low: float, high: float, level: float = 0.95
) -> tuple[float | None, float | None, float | None]:
    """Mean of scores and the two ends of its interval, as :func:`mean` says."""
    n = len(scored)
    middle = float(scored.mean()) if n else None
    bounds: tuple[float | None, float | None] = (None, None)
    if n >= 2 and np.ptp(scored) > 0:
        half = special.stdtrit(n - 1, (1 + level) / 2) * scored.std(ddof=1) / np.sqrt(n)
        bounds = (max(low, float(scored.mean() - half)), min(high, float(scored.mean() + half)))
    elif n >= 2 and scored[0] in (low, high) and np.isfinite(high - low):
        # n of n: the exact interval of the share reaches from (alpha / 2) ** (1 / n) to 1; none of n mirrors it
        end = ((1 - level) / 2) ** (1 / n)
        share = (end, 1.0) if scored[0] == high else (0.0, 1 - end)
        bounds = (low + (high - low) * share[0], low + (high - low) * share[1])
    return middle, bounds[0], bounds[1]


def present_metrics(answers: pd.DataFrame) -> list[Metric]:
    """Metrics of the table that this run has scores of, in table order."""
    return [metric for key, metric in METRICS.items() if f"{key}_status" in answers.columns]


def metric_mean(answers: pd.DataFrame, key: str) -> Mean:
    """Mean of one metric over a frame of answers."""
    metric = METRICS[key]
    return mean(answers[key], answers[f"{key}_status"], metric.low, metric.high)


def answer_states(answers: pd.DataFrame) -> dict[str, int]:
    """Count answers: total, scored, undefined, failed, waiting.

    An answer is undefined when it was judged but neither Correctness nor Relevance exists (for example: no document).
    """
    failed = (answers["status"] == Status.FAILED).to_numpy()
    waiting = (answers["status"] == WAITING).to_numpy()
    leading = [f"{key}_status" for key in ("correctness", "relevance") if f"{key}_status" in answers.columns]
    with_score = (answers[leading] == Status.SCORED).any(axis=1).to_numpy() if leading else ~failed
    scored = with_score & ~failed & ~waiting
    return {
        "total": len(answers),
        "scored": int(scored.sum()),
        "undefined": int((~scored & ~failed & ~waiting).sum()),
        "failed": int(failed.sum()),
        "waiting": int(waiting.sum()),
    }


def tag_counts(answers: pd.DataFrame) -> dict[str, int]:
    """Data points per tag over all judged answers."""
    return {str(tag): int(answers[str(tag)].fillna(0).sum()) for tag in Tag}


def summarise(answers: pd.DataFrame) -> dict[str, Any]:
    """Answers by state, data points by tag, and every metric's mean: the body of ``summary RUN --json``."""
    return {
        "answers": answer_states(answers),
        "tags": tag_counts(answers),
        "metrics": {metric.key: metric_mean(answers, metric.key)._asdict() for metric in present_metrics(answers)},
    }


def _groups(answers: pd.DataFrame, column: str) -> tuple[np.ndarray, list[str]]:
    """Place of every answer in the sorted list of groups; answers without the column are one group."""
    places, names = pd.factorize(answers[column].astype(str).where(answers[column].notna(), "(none)"), sort=True)
    return places, [str(name) for name in names]


def by(answers: pd.DataFrame, column: str) -> pd.DataFrame:
    """Means per group: one row per (group, metric) with Mean's fields; answers without the column are one group."""
    places, names = _groups(answers, column)
    size = len(names)
    found = {}
    for metric in present_metrics(answers):
        values = answers[metric.key].to_numpy(dtype=float, na_value=np.nan)
        masks = [answers[f"{metric.key}_status"].eq(str(status)).to_numpy(dtype=bool) for status in Status]
        counts = np.stack([np.bincount(places[mask], minlength=size) for mask in masks])
        scored, where = values[masks[0]], places[masks[0]]
        for place in range(size):
            ends = _interval(scored[where == place], metric.low, metric.high)
            found[place, metric.key] = _with_counts(ends, [int(count) for count in counts[:, place]])
    rows = [
        {"group": names[place], "metric": key, **found[place, key]._asdict()}
        for place, key in sorted(found, key=lambda pair: pair[0])
    ]
    return pd.DataFrame(rows, columns=["group", "metric", *Mean._fields])


def tags_by(answers: pd.DataFrame, column: str) -> pd.DataFrame:
    """Data points per group and tag, with the number of judged answers: group, tag, points, answers."""
    places, names = _groups(answers, column)
    judged = (answers["status"] == Status.SCORED).to_numpy()
    size = len(names)
    answered = np.bincount(places[judged], minlength=size)
    points = {str(tag): np.bincount(places, answers[str(tag)].fillna(0), minlength=size) for tag in Tag}
    rows = [
        {"group": name, "tag": tag, "points": int(counts[place]), "answers": int(answered[place])}
        for place, name in enumerate(names)
        for tag, counts in points.items()
    ]
    return pd.DataFrame(rows, columns=["group", "tag", "points", "answers"])
