"""SCORE's answer relevance and the re-ranking of answer points, from vectors and model scores.

Masking, question writing and embedding happen elsewhere; here is the arithmetic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.robustness import similarity
from lemaj_core.types import RunSettings, Score


def answer_relevance(question_vector: Sequence[float] | np.ndarray, generated_vectors: Sequence | np.ndarray) -> Score:
    """Mean cosine of the original question with the questions that were written back from the (masked) answer.

    Parameters
    ----------
    question_vector : array of float, shape (d,)
        Embedding of the ORIGINAL, unmasked question.
    generated_vectors : array of float, shape (n, d)
        Embeddings of the n generated questions, five in the paper.

    Returns
    -------
    Score
        In [-1, 1], in practice above 0. Undefined when no question was generated or a vector is zero.

    Raises
    ------
    SettingsError
        If shapes do not fit or a number is not finite.

    References
    ----------
    SCORE (arXiv 2602.10017), 3.3, after RAGAS.

    Examples
    --------
    >>> answer_relevance([1, 0], [[1, 0], [0, 1]]).value
    0.5
    """
    cosines = [similarity(question_vector, vector) for vector in generated_vectors]
    if not cosines:
        return Score.undefined("no question was generated")
    for cosine in cosines:
        if cosine.value is None:
            return cosine
    total = float(sum(cosine.value for cosine in cosines if cosine.value is not None))
    return Score(total / len(cosines), numerator=total, denominator=len(cosines))


def mean_similarity(questions: Sequence[Mapping[str, Any]]) -> Score:
    """Mean of the similarities that were measured for generated questions; undefined when there are none."""
    if not questions:
        return Score.undefined("no question was generated")
    total = float(sum(float(question["similarity"]) for question in questions))
    value = min(1.0, max(-1.0, total / len(questions)))
    return Score(value, numerator=total, denominator=len(questions))


def scores(detail: Mapping[str, Any], settings: RunSettings) -> dict[str, Score]:
    """Compute answer relevance from the questions written back from the masked answer and their similarities."""
    return {"answer_relevance": mean_similarity(detail.get("questions", ()))}


def reranking_scores(detail: Mapping[str, Any], settings: RunSettings) -> dict[str, Score]:
    """Give the relevance of the whole answer, R(q, a); an order of points is better or worse in no number."""
    return {"rerank_logit": Score(float(detail["full"]))}


@dataclass(frozen=True, slots=True)
class Reranking:
    """Effect of each point, shape (n,), the new order (indices, best first), and whether the order changed."""

    delta: np.ndarray
    order: tuple[int, ...]
    changed: bool


def rerank_points(full: float, without: Sequence[float] | np.ndarray) -> Reranking:
    """Order the points of an answer by Delta_i = R(q, a) - R(q, a without point i), largest first.

    Parameters
    ----------
    full : float
        R(q, a): raw logit of a cross-encoder for the whole answer; any real number.
    without : array of float, shape (n,)
        R(q, a without point i). The introduction is no point: it stays first.

    Returns
    -------
    Reranking
        Negative Delta: the point hurts. Equal Deltas keep their order. No points: an empty order, unchanged.

    Raises
    ------
    SettingsError
        If a number is not finite.

    References
    ----------
    SCORE (arXiv 2602.10017), 3.3.

    Examples
    --------
    >>> rerank_points(2.0, [1.5, 0.5, 2.5]).order
    (1, 0, 2)
    """
    values = np.asarray(without, dtype=float).reshape(-1)
    if not np.isfinite([full, *values]).all():
        raise SettingsError("a relevance logit is not a finite number")
    delta = full - values
    order = tuple(int(index) for index in np.argsort(-delta, kind="stable"))
    return Reranking(delta, order, order != tuple(range(len(values))))
