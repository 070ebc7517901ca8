"""Every metric once: the only list of metrics in the project.

Column names, tooltips, colour direction, the Methods page, exports, the README and the property tests read it. It
holds facts and no code that computes: the numbers are made in the module named by ``source_module``.
"""

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Which way is good."""

    HIGHER = "higher is better"
    LOWER = "lower is better"
    NEUTRAL = "neither way is better in itself"


@dataclass(frozen=True, slots=True)
class Metric:
    """What a reader must know of one metric."""

    key: str
    label: str
    group: str
    direction: Direction
    low: float
    high: float
    formula: str
    undefined: str
    needs: tuple[str, ...]
    source: str
    caveat: str
    example: str


LEMAJ = "LeMAJ, Methodology (four scores from the tags)"
COUNTS = "C, I, R, M are the numbers of correct, incorrect, irrelevant and missing data points."
OVERLAP = "Counts words, not sense: an answer with one wrong number overlaps almost wholly with the right one."

METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        Metric(
            key="correctness",
            label="Correctness",
            group="data_points",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="C / (C + I)",
            undefined="no checkable statement: C + I = 0",
            needs=("data_points",),
            source=LEMAJ,
            caveat="Blind to omissions: an answer that says one of ten needed things, rightly, has Correctness 1.",
            example="3 correct, 1 incorrect: 3 / 4 = 0.75",
        ),
        Metric(
            key="precision",
            label="Precision",
            group="data_points",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="C / (C + R)",
            undefined="no true statement: C + R = 0",
            needs=("data_points",),
            source=LEMAJ,
            caveat="Ignores incorrect points: 1 correct and 9 incorrect points have Precision 1.",
            example="3 correct, 2 irrelevant: 3 / 5 = 0.60",
        ),
        Metric(
            key="recall",
            label="Recall",
            group="data_points",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="C / (C + M)",
            undefined="nothing right and nothing missing: C + M = 0",
            needs=("data_points",),
            source=LEMAJ,
            caveat="As good as the judge's list of missing points.",
            example="3 correct, 1 missing: 3 / 4 = 0.75",
        ),
        Metric(
            key="relevance",
            label="Relevance",
            group="data_points",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="(1 + b²)C / ((1 + b²)C + b²M + R); with b = 1: 2C / (2C + R + M)",
            undefined="no correct, irrelevant or missing point: C + R + M = 0",
            needs=("data_points",),
            source=LEMAJ + "; the weight b on Recall is the F-beta of van Rijsbergen",
            caveat="Ignores incorrect points: 1 correct and 9 incorrect points have Relevance 1. Read it beside "
            "Correctness.",
            example="3 correct, 2 irrelevant, 0 missing: 6 / 8 = 0.75",
        ),
        Metric(
            key="specificity",
            label="Specificity",
            group="specificity",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="sum of w × yes / (yes + no) over the dimensions that are stated / sum of their w; yes and no are "
            "counts of claims after a majority vote of k judges, n/a left out",
            undefined="no claim, no source to check against, or every dimension n/a (a switch gives the paper's 0)",
            needs=("answer", "document or contexts"),
            source="SCORE (arXiv 2602.10017), 3.1 and B.1; presets: hazard (the paper's weights .6, .2, .1, .1), "
            "legal (ours), the user's own",
            caveat="Says whether details can be verified in the source, not whether they matter: one detail that is "
            "borne out scores like forty. Read it with the number of claims that state anything. A tie of the "
            "judges is n/a.",
            example="hazard 1 yes of 1 (w = 0.6), location 0 of 1 (w = 0.2), the others n/a: 0.6 / 0.8 = 0.75",
        ),
        Metric(
            key="cu",
            label="Context utilization",
            group="context_utilization",
            direction=Direction.HIGHER,
            low=-1.0,
            high=1.0,
            formula="CU = mean of Δᵢ, Δᵢ = f(a | q, C) - f(a | q, C without claim i); f = exp(mean log P) of the "
            "answer's tokens by a proxy language model that reads question and claims",
            undefined="no claims: the answer has neither retrieved contexts nor a document, or it is empty",
            needs=("answer", "contexts or document"),
            source="SCORE (arXiv 2602.10017), 3.4",
            caveat="Says how much the answer's likelihood rests on single claims, not whether it is right. A claim "
            "that is said twice gets Δ near 0 although it was used. Depends on the proxy.",
            example="f(C) = 0.50, without claim 1 0.25, without claim 2 0.50: (0.25 + 0.00) / 2 = 0.125",
        ),
        Metric(
            key="cu_rel",
            label="Relative context utilization",
            group="context_utilization",
            direction=Direction.HIGHER,
            low=float("-inf"),
            high=1.0,
            formula="CU_rel = mean of δᵢ, δᵢ = Δᵢ / f(a | q, C); equal to CU / f(a | q, C)",
            undefined="no claims, or the proxy gives the answer a confidence of 0",
            needs=("answer", "contexts or document"),
            source="SCORE (arXiv 2602.10017), 3.4; published means 1 to 2 %, extremes -8.6 and 9.8 %",
            caveat="A mean over claims: with forty claims of which one matters it is a fortieth of that one's effect.",
            example="f(C) = 0.50, CU = 0.125: 0.125 / 0.50 = 0.25",
        ),
        Metric(
            key="answer_relevance",
            label="Masked relevance",
            group="answer_relevance",
            direction=Direction.HIGHER,
            low=-1.0,
            high=1.0,
            formula="R = mean of cos(q, gᵢ) over five questions gᵢ that were written back from the masked answer; q is "
            "the question as it was asked, unmasked (all-MiniLM-L6-v2)",
            undefined="no question was generated, or question or answer is empty",
            needs=("question", "answer"),
            source="SCORE (arXiv 2602.10017), 3.3, after RAGAS; published means .68 to .83. Masking by reading is ours",
            caveat="A wrong answer on the topic is as relevant as a right one. Offline the questions come from a model "
            "of 135 million parameters: compare systems by it, do not read its value as the paper's.",
            example="five cosines 0.9, 0.8, 0.7, 0.6, 0.5: 3.5 / 5 = 0.70",
        ),
        Metric(
            key="rerank_logit",
            label="Relevance logit",
            group="reranking",
            direction=Direction.HIGHER,
            low=float("-inf"),
            high=float("inf"),
            formula="R(q, a), the raw logit of a cross-encoder; points are ordered by Δᵢ = R(q, a) - R(q, a without "
            "point i), largest first, the introduction stays first",
            undefined="question or answer is empty",
            needs=("question", "answer"),
            source="SCORE (arXiv 2602.10017), 3.3, with bge-reranker-base; here the packaged ms-marco-MiniLM-L-12",
            caveat="Another cross-encoder has another scale: not comparable with the published 6.69 and 7.08. It reads "
            "512 word pieces. A negative Δ means that the answer is nearer to the question without the point.",
            example="R(q, a) = 2.0, without point 1 1.5, without point 2 0.5: Δ = 0.5 and 1.5, point 2 goes first; 2.0",
        ),
        Metric(
            key="robustness_paraphrase",
            label="Similarity under paraphrase",
            group="robustness",
            direction=Direction.HIGHER,
            low=-1.0,
            high=1.0,
            formula="cos(a, a′), a′ the answer to the question in other words, same documents (all-MiniLM-L6-v2)",
            undefined="no answer to a paraphrased question: no column has it and no language model is the judge",
            needs=("answer", "answer to a paraphrased question"),
            source="SCORE (arXiv 2602.10017), 3.2; published means .86 to .89",
            caveat="Similar wording counts, not truth. Where a judge wrote the new answer, two systems are compared.",
            example="vectors (1, 0) and (0.6, 0.8): 1 · 0.6 + 0 · 0.8 = 0.60",
        ),
        Metric(
            key="robustness_perturbation",
            label="Similarity under perturbation",
            group="robustness",
            direction=Direction.LOWER,
            low=-1.0,
            high=1.0,
            formula="cos(a, a″), a″ the answer to a question with another hazard or place, or another clause or party",
            undefined="no answer to a perturbed question: no column has it and no language model is the judge",
            needs=("answer", "answer to a perturbed question"),
            source="SCORE (arXiv 2602.10017), 3.2; published means .60 to .66",
            caveat="Lower is better: another question needs another answer. Read it beside the paraphrase: a system "
            "that answers anything at random is low on both.",
            example="vectors (1, 0) and (0.6, 0.8): 1 · 0.6 + 0 · 0.8 = 0.60",
        ),
        Metric(
            key="fre",
            label="Reading ease",
            group="readability",
            direction=Direction.HIGHER,
            low=float("-inf"),
            high=float("inf"),
            formula="Flesch Reading Ease: 206.835 - 1.015 W/S - 84.6 Y/W (W words, S sentences, Y syllables)",
            undefined="too short (under 30 words) or not English",
            needs=("answer",),
            source="Flesch 1948; SCORE (arXiv 2602.10017), B.3",
            caveat="Counts lengths, not sense: a short wrong answer reads easily. Contract language seldom passes 30.",
            example="100 words in 5 sentences with 150 syllables: 206.835 - 20.3 - 126.9 = 59.635",
        ),
        Metric(
            key="fkgl",
            label="Grade level",
            group="readability",
            direction=Direction.LOWER,
            low=float("-inf"),
            high=float("inf"),
            formula="Flesch-Kincaid: 0.39 W/S + 11.8 Y/W - 15.59, a US school grade",
            undefined="too short (under 30 words) or not English",
            needs=("answer",),
            source="Kincaid et al. 1975; SCORE (arXiv 2602.10017), B.3",
            caveat="List items count as sentences, whether they end with a full stop or not.",
            example="100 words in 5 sentences with 150 syllables: 7.8 + 17.7 - 15.59 = 9.91",
        ),
        Metric(
            key="bleu",
            label="BLEU",
            group="baselines",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="geometric mean of the shares of the answer's 1- to 4-grams that stand in the reference, x brevity",
            undefined="no reference answer",
            needs=("reference",),
            source="Papineni et al. 2002; sacrebleu",
            caveat=OVERLAP,
            example="the reference itself: 1.00",
        ),
        Metric(
            key="rouge1",
            label="ROUGE-1",
            group="baselines",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="F of shared words: 2PR / (P + R), P = shared / answer, R = shared / reference",
            undefined="no reference answer",
            needs=("reference",),
            source="Lin 2004; rouge-score",
            caveat=OVERLAP,
            example="9 of 10 words shared both ways: 2 x .9 x .9 / 1.8 = 0.90",
        ),
        Metric(
            key="rougeL",
            label="ROUGE-L",
            group="baselines",
            direction=Direction.HIGHER,
            low=0.0,
            high=1.0,
            formula="F of the longest common subsequence of words: 2PR / (P + R)",
            undefined="no reference answer",
            needs=("reference",),
            source="Lin 2004; rouge-score",
            caveat=OVERLAP,
            example="9 of 10 words in the same order: 0.90",
        ),
    )
}

GROUPS: dict[str, str] = {
    "data_points": "Legal Data Points",
    "specificity": "Specificity",
    "context_utilization": "Context utilization",
    "answer_relevance": "Answer relevance",
    "reranking": "Re-ranking of points",
    "robustness": "Robustness",
    "readability": "Readability",
    "baselines": "Baselines",
}


def in_group(group: str) -> list[Metric]:
    """Metrics of one group, in table order."""
    return [metric for metric in METRICS.values() if metric.group == group]
