"""Which answers may go out unread, what time that saves, and what it lets through.

An answer is cleared when Correctness and Relevance both reach their thresholds; undefined and failed answers never
are. Scores are compared as exact fractions from their counts. The thresholds of the paper: Correctness 1, and
Relevance .80 (its own contracts) or .85 (LegalBench).
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special  # scipy.stats takes a second to import, and the pages wait for it

from lemaj_core.analysis.margin import margins
from lemaj_core.errors import SettingsError
from lemaj_core.types import Status

CORRECTNESS = "1"
RELEVANCE = "0.80"
MINUTES = 6.0
LEVEL = 0.95
STEPS = 100


class Triage(NamedTuple):
    """The outcome of one pair of thresholds. ``bound`` is None where no cleared answer has an expert's label."""

    cleared: int
    total: int
    minutes_saved: float
    minutes_total: float
    time_saved: float | None
    defects_among_cleared: int
    labelled_cleared: int
    bound: float | None

    @property
    def sentence(self) -> str:
        """The sentence to take to a partner."""
        if not self.cleared:
            return "No answer reaches both thresholds: every answer is read."
        noun = "this 1 answer goes" if self.cleared == 1 else f"these {self.cleared} answers go"
        if self.bound is None:
            return f"If {noun} out unread, the share of defects is unknown: no cleared answer has an expert's score."
        return (
            f"If {noun} out unread, at most {100 * self.bound:.1f} % are defective, {100 * LEVEL:.0f} % confidence: "
            f"{self.defects_among_cleared} of the {self.labelled_cleared} that an expert scored "
            f"{'was' if self.defects_among_cleared == 1 else 'were'}. This assumes that the scored answers are a "
            "random sample of the cleared ones, and independent; answers about one contract are not quite."
        )


def threshold(value: float | str | Fraction) -> Fraction:
    """Read a threshold exactly: 0.8, "0.80" and "4/5" are the same."""
    try:
        found = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise SettingsError(f"threshold {value!r} is not a number between 0 and 1") from None
    if not 0 <= found <= 1:
        raise SettingsError(f"threshold {value} is not between 0 and 1")
    return found


def _counts(answers: pd.DataFrame, key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numerator, denominator and whether the score exists, as integer arrays."""
    usable = (answers[f"{key}_status"] == Status.SCORED).to_numpy() & (answers["status"] == Status.SCORED).to_numpy()
    top = np.where(usable, answers[f"{key}_numerator"].to_numpy(dtype=float, na_value=0), 0)
    bottom = np.where(usable, answers[f"{key}_denominator"].to_numpy(dtype=float, na_value=1), 1)
    return np.rint(top).astype(np.int64), np.rint(bottom).astype(np.int64), usable


def _reaches(answers: pd.DataFrame, key: str, value: Fraction) -> np.ndarray:
    top, bottom, usable = _counts(answers, key)
    return usable & (top * value.denominator >= bottom * value.numerator)


def _levels(answers: pd.DataFrame, key: str, steps: int) -> np.ndarray:
    """Largest k with score >= k / steps, exactly; -1 where there is no score."""
    top, bottom, usable = _counts(answers, key)
    return np.where(usable, np.minimum(top * steps // bottom, steps), -1)


def cleared(
    answers: pd.DataFrame, correctness: float | str = CORRECTNESS, relevance: float | str = RELEVANCE
) -> np.ndarray:
    """Boolean array, one per row: whether the answer reaches both thresholds (exactly)."""
    return _reaches(answers, "correctness", threshold(correctness)) & _reaches(
        answers, "relevance", threshold(relevance)
    )


def review_minutes(answers: pd.DataFrame, minutes: float = MINUTES) -> np.ndarray:
    """Minutes to read each answer: the uploaded ones, else the default."""
    if not 0 < minutes < float("inf"):
        raise SettingsError(f"{minutes} minutes per review: must be a positive number")
    given = answers["minutes"].to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isfinite(given) & (given >= 0), given, minutes)


def defects(answers: pd.DataFrame, relevance_floor: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Which answers an expert found defective, and which have an expert's score at all.

    Defective = expert Correctness below 1 or, with ``relevance_floor``, expert Relevance below it.
    """
    correctness = answers["human_correctness"].to_numpy(dtype=float, na_value=np.nan)
    labelled = np.isfinite(correctness)
    wrong = labelled & (correctness < 1)
    if relevance_floor is not None:
        relevance = answers["human_relevance"].to_numpy(dtype=float, na_value=np.nan)
        wrong = wrong | (labelled & np.isfinite(relevance) & (relevance < relevance_floor))
    return wrong, labelled


def risk_bound(wrong: int | np.ndarray, n: int | np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Clopper-Pearson one-sided upper bound of a share: Beta(wrong + 1, n - wrong) quantile; NaN where n = 0."""
    wrong, n = np.asarray(wrong, dtype=float), np.asarray(n, dtype=float)
    with np.errstate(invalid="ignore"):
        bound = special.betaincinv(wrong + 1, n - wrong, level)
    return np.where(n == 0, np.nan, np.where(wrong >= n, 1.0, bound))


def decide(
    answers: pd.DataFrame,
    correctness: float | str = CORRECTNESS,
    relevance: float | str = RELEVANCE,
    *,
    minutes: float = MINUTES,
    relevance_floor: float | None = None,
) -> Triage:
    """Clear or flag every answer of a frame and say what follows from it.

    Time saved = minutes of cleared answers / minutes of all answers (LeMAJ); None for an empty frame.
    """
    go = cleared(answers, correctness, relevance)
    spent = review_minutes(answers, minutes)
    wrong, labelled = defects(answers, relevance_floor)
    k, n = int((go & wrong).sum()), int((go & labelled).sum())
    total = float(spent.sum())
    saved = float(spent[go].sum())
    return Triage(
        cleared=int(go.sum()),
        total=len(answers),
        minutes_saved=saved,
        minutes_total=total,
        time_saved=saved / total if total else None,
        defects_among_cleared=k,
        labelled_cleared=n,
        bound=float(risk_bound(k, n)) if n else None,
    )


def curve(
    answers: pd.DataFrame,
    vary: str = "relevance",
    *,
    other: float | str | None = None,
    minutes: float = MINUTES,
    relevance_floor: float | None = None,
    steps: int = STEPS,
) -> pd.DataFrame:
    """Outcome for every threshold 0, 1/steps, ..., 1 of one score while the other threshold stays.

    Columns: threshold, cleared, cleared_share, time_saved, defects, labelled, bound. One pass over the answers.
    """
    if vary not in ("relevance", "correctness"):
        raise SettingsError(f"cannot vary {vary!r}: relevance or correctness")
    held = "correctness" if vary == "relevance" else "relevance"
    if other is None:
        other = CORRECTNESS if held == "correctness" else RELEVANCE
    level = np.where(_reaches(answers, held, threshold(other)), _levels(answers, vary, steps), -1)
    spent = review_minutes(answers, minutes)
    wrong, labelled = defects(answers, relevance_floor)

    def from_top(weights: np.ndarray) -> np.ndarray:
        return np.bincount(level[level >= 0], weights[level >= 0], minlength=steps + 1)[::-1].cumsum()[::-1]

    count, hours = from_top(np.ones(len(level))), from_top(spent)
    k, n = from_top(wrong.astype(float)), from_top(labelled.astype(float))
    return pd.DataFrame(
        {
            "threshold": np.arange(steps + 1) / steps,
            "cleared": count.astype(int),
            "cleared_share": count / max(len(answers), 1),
            "time_saved": hours / spent.sum() if len(answers) else 0.0,
            "defects": k.astype(int),
            "labelled": n.astype(int),
            "bound": risk_bound(k, n),
        }
    )


def grid(answers: pd.DataFrame, *, minutes: float = MINUTES, steps: int = 20) -> pd.DataFrame:
    """Cleared share and time saved for every pair of thresholds: correctness, relevance, cleared_share, time_saved."""
    a, b = _levels(answers, "correctness", steps), _levels(answers, "relevance", steps)
    usable = (a >= 0) & (b >= 0)
    spent = review_minutes(answers, minutes)

    def from_top(weights: np.ndarray) -> np.ndarray:
        table = np.zeros((steps + 1, steps + 1))
        np.add.at(table, (a[usable], b[usable]), weights[usable])
        return table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]

    count, hours = from_top(np.ones(len(a))), from_top(spent)
    at = np.arange(steps + 1) / steps
    return pd.DataFrame(
        {
            "correctness": np.repeat(at, steps + 1),
            "relevance": np.tile(at, steps + 1),
            "cleared_share": (count / max(len(answers), 1)).ravel(),
            "time_saved": (hours / spent.sum() if len(answers) else hours).ravel(),
        }
    )


def queue(
    answers: pd.DataFrame,
    correctness: float | str = CORRECTNESS,
    relevance: float | str = RELEVANCE,
    *,
    beta: float = 1.0,
) -> pd.DataFrame:
    """Answers to be read, those nearest to being cleared last, with column ``flips`` (None: cannot be cleared).

    Failed and undefined answers come first: nothing is known of them.
    """
    listed = answers.assign(flips=margins(answers, correctness, relevance, beta=beta))
    listed = listed[~cleared(answers, correctness, relevance)]
    order = np.argsort(-listed["flips"].astype(float).fillna(np.inf).to_numpy(), kind="stable")
    return listed.iloc[order].reset_index(drop=True)
