"""How far a judge's scores agree with experts' over a run: correlation, bucketed accuracy, bias, with intervals.

Works on the frame of ``Store.answers``. Data points and their tags are compared in ``tag_agreement``.
"""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from lemaj_core.metrics.agreement import Correlation, bucketed_accuracy, commonest_bucket, pearson, spearman
from lemaj_core.metrics.table import in_group
from lemaj_core.types import Score, Status

SCORES = ("correctness", "relevance")
RESAMPLES = 1000
CHUNK = 100
Interval = tuple[float | None, float | None]


class Bias(NamedTuple):
    """Judge minus expert: mean with its 95 % interval, and the limits within which 95 % of differences lie."""

    mean: float | None
    low: float | None
    high: float | None
    limit_low: float | None
    limit_high: float | None


class ScoreAgreement(NamedTuple):
    """One score of a judge against an expert, over the ``n`` answers that have both."""

    score: str
    n: int
    clusters: int
    pearson: Correlation
    spearman: Correlation
    by_answer: Interval
    by_document: Interval
    accuracy: Score
    accuracy_interval: Interval
    commonest: Score
    bias: Bias


def against_experts(answers: pd.DataFrame, score: str, *, seed: int = 0) -> ScoreAgreement:
    """Compare one score of the judge with the expert's.

    Parameters
    ----------
    answers : pandas.DataFrame
        Answers with KEY, KEY_status, human_KEY and document_id.
    score : {"correctness", "relevance"}
    seed : int
        For the bootstrap, so that a page shows the same interval twice.

    Returns
    -------
    ScoreAgreement
        Intervals of Pearson's r: Fisher's z (in ``pearson``), a percentile bootstrap over answers, and one over
        documents, because answers about one contract are not independent. Bucketed accuracy carries the exact
        binomial interval; ``commonest`` is what always guessing the expert's commonest bucket would reach. All are
        undefined, with the reason, where too few answers have both scores.
    """
    judge, expert, documents = _pairs(answers, score)
    said, known = judge.tolist(), expert.tolist()
    r = pearson(said, known)
    accuracy = bucketed_accuracy(said, known)
    ids = pd.factorize(documents)[0]
    defined = r.status is Status.SCORED
    return ScoreAgreement(
        score,
        len(judge),
        int(ids.max() + 1) if len(ids) else 0,
        r,
        spearman(said, known),
        bootstrap(judge, expert, np.arange(len(judge)), seed=seed) if defined else (None, None),
        bootstrap(judge, expert, ids, seed=seed) if defined else (None, None),
        accuracy,
        exact_interval(accuracy),
        commonest_bucket(known),
        bias(judge, expert),
    )


def baselines_against(answers: pd.DataFrame, score: str) -> dict[str, Correlation]:
    """Pearson's r of each baseline of the run with the expert's score, over the answers that have both."""
    found = {}
    for metric in in_group("baselines"):
        if f"{metric.key}_status" in answers.columns:
            both = (answers[f"{metric.key}_status"] == Status.SCORED) & answers[f"human_{score}"].notna()
            part = answers[both]
            found[metric.key] = pearson(part[metric.key].astype(float).tolist(), part[f"human_{score}"].tolist())
    return found


def differences(answers: pd.DataFrame, score: str) -> pd.DataFrame:
    """Mean and difference (judge minus expert) of each answer that has both scores; for a Bland-Altman plot."""
    both = _both(answers, score)
    part = answers[both]
    judge, expert = part[score].astype(float), part[f"human_{score}"].astype(float)
    return pd.DataFrame(
        {
            "item_id": part["item_id"],
            "question": part["question"],
            "mean": (judge + expert) / 2,
            "difference": judge - expert,
        }
    ).reset_index(drop=True)


def bias(judge: np.ndarray, expert: np.ndarray) -> Bias:
    """Mean difference with Student's t interval, and the limits of agreement: mean ± 1.96 standard deviations.

    All None without pairs; interval and limits None for one pair.

    References
    ----------
    Bland and Altman 1986.
    """
    difference = np.asarray(judge, dtype=float) - np.asarray(expert, dtype=float)
    n = len(difference)
    if not n:
        return Bias(None, None, None, None, None)
    mean = float(difference.mean())
    if n < 2:
        return Bias(mean, None, None, None, None)
    deviation = float(difference.std(ddof=1))
    half = float(special.stdtrit(n - 1, 0.975)) * deviation / math.sqrt(n)
    return Bias(mean, mean - half, mean + half, mean - 1.96 * deviation, mean + 1.96 * deviation)


def bootstrap(
    judge: np.ndarray, expert: np.ndarray, clusters: np.ndarray, *, seed: int = 0, resamples: int = RESAMPLES
) -> Interval:
    """Percentile interval of Pearson's r when whole clusters are drawn again with replacement.

    Parameters
    ----------
    judge, expert : array of float, shape (n,)
    clusters : array of int, shape (n,)
        Which cluster each pair belongs to, 0 to k - 1; one each for a bootstrap over answers.

    Returns
    -------
    tuple
        The 2.5 and 97.5 percentiles; None with fewer than five clusters (ours: the few resamples would pretend to
        precision), or where half of the resamples have no correlation. Values are centred first, so that equal
        values give no rounding noise.
    """
    k = int(clusters.max()) + 1 if len(clusters) else 0
    if k < 5:
        return None, None
    x, y = judge - judge.mean(), expert - expert.mean()
    columns = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=1)
    sums = np.zeros((k, 6))
    np.add.at(sums, clusters, columns)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(0, resamples, CHUNK):
        weights = rng.multinomial(k, np.full(k, 1 / k), size=CHUNK)
        n, sx, sy, sxy, sxx, syy = (weights @ sums).T
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = (n * sxx - sx**2) * (n * syy - sy**2)
            found.append(np.where(spread > 1e-12, (n * sxy - sx * sy) / np.sqrt(spread), np.nan))
    values = np.concatenate(found)
    values = values[np.isfinite(values)]
    if len(values) < resamples / 2:
        return None, None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def exact_interval(share: Score, level: float = 0.95) -> Interval:
    """Clopper-Pearson interval of a share of counts; None where there is none."""
    if share.status is not Status.SCORED or share.numerator is None or not share.denominator:
        return None, None
    hits, total, tail = share.numerator, share.denominator, (1 - level) / 2
    low = 0.0 if hits == 0 else float(special.betaincinv(hits, total - hits + 1, tail))
    high = 1.0 if hits == total else float(special.betaincinv(hits + 1, total - hits, 1 - tail))
    return low, high


def _both(answers: pd.DataFrame, score: str) -> np.ndarray:
    scored = (answers[f"{score}_status"] == Status.SCORED).to_numpy()
    return scored & answers[f"human_{score}"].notna().to_numpy()


def _pairs(answers: pd.DataFrame, score: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    part = answers[_both(answers, score)]
    documents = part["document_id"].astype(object).where(part["document_id"].notna(), part["item_id"])
    return part[score].to_numpy(dtype=float), part[f"human_{score}"].to_numpy(dtype=float), documents.to_numpy()
