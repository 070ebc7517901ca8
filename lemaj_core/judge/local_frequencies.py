"""In how many passages of contracts a word piece stands: what is ordinary in a contract and what is telling.

``local_frequencies.json`` holds counts only, no text. They were taken over the nine sample contracts in
``data/contracts`` and seven published ones: four of CUAD (The Atticus Project) and three of ContractNLI (Koreeda and
Manning 2021), both CC BY 4.0. No claim that the judge is measured on is about one of them.
``python benchmarks/offline_judge.py --frequencies`` counts again. A single clause has too few passages of its own to
tell that "agreement" or "party" says little.
"""

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

from lemaj_core.judge.local_passages import Passages

FILE = Path(__file__).with_suffix(".json")

# The vocabulary of the model is sorted by frequency in English from this id on.
_FIRST_WORD = 1996
# Passages that English as a whole counts for.
_PRIOR = 30.0


@lru_cache(maxsize=1)
def table() -> tuple[int, dict[int, int]]:
    """Give the number of passages counted and the number with each word piece (by its id)."""
    body = json.loads(FILE.read_text(encoding="utf-8"))
    return int(body["passages"]), {int(piece): int(count) for piece, count in body["counts"].items()}


def count(documents: list[Passages]) -> dict[str, object]:
    """Count word pieces over the sentences of some documents, in the form of the file."""
    counts: Counter[int] = Counter()
    for passages in documents:
        counts.update(_unit_counts(passages))
    total = sum(len(passages.units) for passages in documents)
    return {"passages": total, "counts": {str(piece): counts[piece] for piece in sorted(counts) if counts[piece] > 1}}


def rarity(pieces: np.ndarray, passages: Passages) -> np.ndarray:
    """Inverse document frequency of word pieces, from contracts, the document at hand and English as a whole.

    Parameters
    ----------
    pieces : array of int, shape (n,)
        Ids of word pieces.
    passages : Passages
        The document; its sentences count like those of the table.

    Returns
    -------
    array of float, shape (n,)
        Minus the logarithm of the share of passages that have the piece; at least 0.
    """
    known, counts = table()
    total = known + len(passages.units) + _PRIOR
    own = _unit_counts(passages)
    here = np.array([own[int(piece)] for piece in pieces], dtype=np.float64)
    there = np.array([counts.get(int(piece), 0) for piece in pieces], dtype=np.float64)
    # Zipf's law: the share of English passages with a word falls with its rank.
    english = np.minimum(0.6, 15.0 / (np.maximum(pieces - _FIRST_WORD, 0) + 10.0))
    return np.maximum(-np.log((here + there + _PRIOR * english) / total), 0.0)


@lru_cache(maxsize=24)
def _unit_counts(passages: Passages) -> Counter[int]:
    counts: Counter[int] = Counter()
    for unit in passages.units:
        counts.update(set(passages.pieces[unit.first : unit.last].tolist()))
    return counts
