"""What the Methods page states and no metric owns: published figures, sources, limits, installed versions."""

from importlib import metadata
from typing import Any

from components.words import number, percent
from lemaj_core.metrics.offline_judge import MEASURED

PACKAGES = ("streamlit", "pandas", "plotly", "scipy", "sqlalchemy", "litellm", "nupunkt", "onnxruntime")

PUBLISHED = {
    "score": ["Relevance", "Relevance", "Relevance", "Relevance", "Correctness", "Correctness"],
    "method": [
        "LeMAJ",
        "BERTScore",
        "BARTScore",
        "DeepEval Answer Relevancy",
        "LeMAJ",
        "DeepEval Correctness",
    ],
    "own contracts": ["0.370 (0.50)", "0.174", "0.105", "0.000 (0.37)", "0.259 (0.95)", "0.077 (0.43)"],
    "LegalBench": ["0.354 (0.35)", "0.055", "0.205", "0.079 (0.45)", "0.700 (0.88)", "0.018 (0.24)"],
}

SOURCES = (
    "LeMAJ (Legal LLM-as-a-Judge): the four tags, the four scores, bucketed accuracy, triage with Correctness 1 and "
    "Relevance 0.80 or 0.85.",
    "The weight of Recall in Relevance is the F-beta measure of van Rijsbergen.",
    "Clopper and Pearson (1934) for the bound on defects.",
    "Colours: Okabe and Ito. No tag is told by its colour alone.",
    "The sample (nine contracts, 72 answers, expert labels) was written for this project; data/README.md says how. "
    "Its numbers show how the product works and are no evidence about any system.",
)

LIMITS = (
    "A judge errs. The paper's errors were mostly too much leniency about detail; 16 % came from splitting an answer "
    "differently than the expert.",
    "Relevance is a matter of the task: two experts agreed on it in 53 % of cases, on Correctness in 77 %.",
    "Answers about one contract are not independent, so intervals and bounds over few contracts are too narrow.",
    "The risk bound holds for answers like the labelled ones. Labels on other contracts say nothing about these.",
    "Missing points are as good as the judge's reading of the document: what it overlooks, Recall does not see.",
    "Nothing leaves this machine unless you choose a judge that is asked over the network.",
)


LEADING = (
    ("contract_nli_auc", "ROC AUC {} for support of claims by contract clauses", number),
    ("expertqa_support_auc", "{} by web evidence", number),
    ("unseen_altered_flagged", "flags {} of altered clauses of unseen contracts", percent),
    ("unseen_unaltered_flagged", "{} of unaltered", percent),
    ("sample_wrong_flagged", "{} of the sample's wrong statements", percent),
)


def offline_rows() -> list[dict[str, Any]]:
    """What was measured of the offline judge, one row per figure."""
    return [
        {
            "what": str(entry.get("label", key)),
            "measured": f"{entry['value']:.2f}",
            "baseline": "" if entry.get("baseline") is None else f"{entry['baseline']:.2f}",
            "n": f"{entry.get('n', 0):,}",
            "date": str(entry.get("date", "")),
        }
        for key, entry in MEASURED.items()
    ]


def offline_measured() -> str:
    """Say the figures of the offline judge that a reader needs beside its numbers; Methods has them all."""
    said = [words.format(number(float(MEASURED[key]["value"]))) for key, words, number in LEADING if key in MEASURED]
    return "Measured: " + "; ".join(said)


def offline_sentence() -> str:
    """Say what the offline judge is and what was measured of it."""
    return "No language model was asked: small models and rules compare passages. " + offline_measured()


def versions() -> dict[str, str]:
    """Installed versions of the packages that decide numbers."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
