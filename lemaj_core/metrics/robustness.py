"""SCORE's robustness: how similar the new answer is when the question was paraphrased or perturbed.

Paraphrased question: higher is better. Perturbed question: LOWER is better. The direction stands in the metric table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lemaj_core.errors import SettingsError
from lemaj_core.types import RunSettings, Score

KINDS = ("paraphrase", "perturbation")


def similarity(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> Score:
    """Cosine of two embeddings: a·b / (|a| |b|).

    Parameters
    ----------
    a, b : array of float, shape (d,)
        Embeddings of the original and the new answer.

    Returns
    -------
    Score
        In [-1, 1]; undefined when a vector is zero (an empty text).

    Raises
    ------
    SettingsError
        If the shapes differ or a number is not finite.

    References
    ----------
    SCORE (arXiv 2602.10017), 3.2, on all-MiniLM-L6-v2.

    Examples
    --------
    >>> similarity([1, 0], [1, 0]).value
    1.0
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise SettingsError(f"vectors of shapes {x.shape} and {y.shape} cannot be compared")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise SettingsError("a vector holds a number that is not finite")
    largest = max(np.abs(x).max(initial=0), 0), max(np.abs(y).max(initial=0), 0)
    if 0 in largest:
        return Score.undefined("a vector is zero: the text is empty")
    x, y = x / largest[0], y / largest[1]
    value = float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))
    return Score(min(1.0, max(-1.0, value)))


def scores(detail: Mapping[str, Any], settings: RunSettings) -> dict[str, Score]:
    """Compute both robustness scores from the similarities that were measured.

    Parameters
    ----------
    detail : mapping
        ``paraphrase`` and ``perturbation``, each with a ``similarity`` or with the ``reason`` why there is none.
    settings : RunSettings
        Not used.

    Returns
    -------
    dict of str to Score
        ``robustness_paraphrase`` and ``robustness_perturbation`` in [-1, 1]; each undefined where no new answer was
        compared.
    """
    found = {}
    for kind in KINDS:
        part = detail.get(kind, {})
        value = part.get("similarity")
        found[f"robustness_{kind}"] = (
            Score.undefined(str(part.get("reason") or "no new answer"))
            if value is None
            else Score(min(1.0, max(-1.0, float(value))))
        )
    return found
