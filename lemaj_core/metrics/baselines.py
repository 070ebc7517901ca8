"""Word-overlap baselines of LeMAJ's tables: BLEU, ROUGE-1 and ROUGE-L of an answer against the reference answer.

They are here to be compared with the judge, not to be believed: two answers that differ in one number overlap almost
wholly. The counting is sacrebleu's and rouge-score's.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lemaj_core.types import RunSettings, Score

KEYS = ("bleu", "rouge1", "rougeL")


@lru_cache(maxsize=1)
def _rouge() -> Any:
    from rouge_score import rouge_scorer

    return rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True)


def overlap(answer: str, reference: str) -> dict[str, float]:
    """Count the overlap of an answer with a reference.

    Parameters
    ----------
    answer, reference : str
        Both with at least one word.

    Returns
    -------
    dict of str to float
        "bleu": sacrebleu's sentence BLEU with its default smoothing, / 100; "rouge1" and "rougeL": F measures of
        rouge-score with the Porter stemmer. All in [0, 1].

    References
    ----------
    Papineni et al. 2002; Post 2018 (sacrebleu); Lin 2004 (ROUGE).
    """
    import sacrebleu

    found = _rouge().score(reference, answer)
    bleu = sacrebleu.sentence_bleu(answer, [reference]).score / 100
    return {"bleu": min(1.0, bleu), "rouge1": found["rouge1"].fmeasure, "rougeL": found["rougeL"].fmeasure}


def scores(detail: Mapping[str, Any], settings: RunSettings) -> dict[str, Score]:
    """Give the three scores that :func:`overlap` counted."""
    return {key: Score(float(detail[key])) for key in KEYS}
