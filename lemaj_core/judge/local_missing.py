"""What an answer left out: passages that answer the question plainly and that no statement of the answer covers.

Few and sure rather than many: at most three, each a sentence of the document (or of the reference answer).
"""

from lemaj_core.judge.local_align import covered
from lemaj_core.judge.local_passages import Passages, Unit
from lemaj_core.judge.local_question import Asked

MOST = 3
ANSWERS = 3.0
"""Logit of the cross-encoder from which a passage plainly answers the question."""

COVERED = 0.70
"""Share of a passage's wording that the answer must have for it to count as said. Measured on the sample: from 0.7 on
most of what would be listed is not missed by the experts."""

_SHORTEST = 40


def missing(asked: Asked, passages: Passages, answer: str, used: list[Unit]) -> list[Unit]:
    """Give the passages that the answer should have used and did not.

    Parameters
    ----------
    asked : Asked
        The question laid over the document.
    passages : Passages
        The document.
    answer : str
        The whole answer; may be empty.
    used : list of Unit
        Passages that stand behind a statement of the answer: they are not missing.
    """
    if not asked.units:
        return []
    candidates = [
        unit
        for unit, logit in asked.units[:MOST]
        if logit >= ANSWERS
        and unit not in used
        and unit.end - unit.start >= _SHORTEST
        and passages.words(unit).rstrip()[-1:] in ".;"
    ]
    if not answer.strip():
        return candidates[:MOST]
    shares = covered([passages.words(unit) for unit in candidates], answer, passages)
    return [unit for unit, share in zip(candidates, shares, strict=True) if share < COVERED][:MOST]
