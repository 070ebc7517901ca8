"""How far a text says what a statement says: every word of the statement looks for its best match.

The support score is 1 minus the weighted mean of the squared distances between the statement's word pieces and the
nearest word pieces of a passage; rare words weigh more. It measures wording and meaning, not truth: "shall" and
"shall not" are close, which is why :mod:`lemaj_core.judge.local_conflicts` exists.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lemaj_core.judge.local_frequencies import rarity
from lemaj_core.judge.local_passages import Passages
from lemaj_core.models.embed import Encoded, encoder


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """How well a document supports a statement, and where: indices into chunks and units, best first."""

    score: float
    chunks: tuple[int, ...]
    units: tuple[int, ...]
    unit_scores: tuple[float, ...]


@lru_cache(maxsize=65536)
def _is_word(piece: int) -> bool:
    return any(letter.isalnum() for letter in encoder().piece(piece).removeprefix("##"))


def weights(statement: Encoded, passages: Passages) -> np.ndarray:
    """Weigh the word pieces of a statement by their rarity; punctuation weighs nothing."""
    words = np.array([_is_word(int(piece)) for piece in statement.pieces], dtype=bool)
    return np.where(words, rarity(statement.pieces, passages), 0.0)


def support(statement: Encoded, passages: Passages, *, top: int = 3) -> Support:
    """Find the passages that say what a statement says, and how far they do."""
    weight = weights(statement, passages)
    if not passages.units or weight.sum() <= 0:
        return Support(0.0, (), (), ())
    nearness = statement.tokens @ passages.tokens.T
    best = np.maximum.reduceat(nearness, passages.firsts, axis=1)
    by_chunk = _score(best, weight)
    chunks = np.argsort(-by_chunk, kind="stable")[:top]
    inside = [index for index, unit in enumerate(passages.units) if unit.chunk in set(chunks.tolist())]
    by_unit = np.array(
        [
            _score(
                nearness[:, passages.units[index].first : passages.units[index].last].max(axis=1, keepdims=True), weight
            )[0]
            for index in inside
        ]
    )
    order = np.argsort(-by_unit, kind="stable")
    return Support(
        float(by_chunk[chunks[0]]),
        tuple(chunks.tolist()),
        tuple(inside[index] for index in order),
        tuple(float(by_unit[index]) for index in order),
    )


def covered(texts: list[str], answer: str, passages: Passages) -> list[float]:
    """Say how far an answer says what some texts say, with the weights of the document."""
    if not texts:
        return []
    found = encoder().encode([answer, *texts])
    result = []
    for text in found[1:]:
        weight = weights(text, passages)
        nearest = (text.tokens @ found[0].tokens.T).max(axis=1, keepdims=True) if len(found[0].tokens) else None
        result.append(float(_score(nearest, weight)[0]) if nearest is not None and weight.sum() > 0 else 0.0)
    return result


def _score(best: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return 1.0 - (weight[:, None] * (1.0 - best) ** 2).sum(axis=0) / weight.sum()
