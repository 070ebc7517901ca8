"""Rows of LeMAJ's tables 2 and 3 as published, to stand beside a user's own figures. Facts only.

Pearson's r and bucketed accuracy against the authors' experts, on their own contracts and on LegalBench. They are
about other answers by other systems: a comparison of methods, never a target.
"""

from typing import NamedTuple

SOURCE = "LeMAJ, tables 2 and 3"


class Published(NamedTuple):
    """One method and score; None where the paper prints nothing."""

    score: str
    method: str
    r_own: float | None
    r_legalbench: float | None
    accuracy_own: float | None
    accuracy_legalbench: float | None


ROWS: tuple[Published, ...] = (
    Published("correctness", "LeMAJ", 0.259, 0.700, 0.95, 0.88),
    Published("correctness", "DeepEval Correctness", 0.077, 0.018, 0.43, 0.24),
    Published("relevance", "LeMAJ", 0.370, 0.354, 0.50, 0.35),
    Published("relevance", "BERTScore", 0.174, 0.055, None, None),
    Published("relevance", "BARTScore", 0.105, 0.205, None, None),
    Published("relevance", "DeepEval Answer Relevancy", 0.000, 0.079, 0.37, 0.45),
    Published("relevance", "DeepEval Faithfulness", None, None, 0.48, 0.41),
)
"""Methods of one score stand together, LeMAJ first."""

INTER_ANNOTATOR = {"correctness": (0.77, 0.88), "relevance": (0.53, 0.54)}
"""Agreement between annotators on 150 LegalBench pairs: by hand, and with LeMAJ's points shown."""
