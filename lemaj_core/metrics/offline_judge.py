"""What the offline judge was measured to reach; shown wherever its numbers stand. Facts only, no code that computes.

``python benchmarks/offline_judge.py`` measures them again. Rules and thresholds were set on the sample and on every
second of seven real contracts; the figures for altered and unaltered sentences are those of the other contracts.
"""

DATE = "2026-11-30"


def _figure(label: str, value: float, n: int, baseline: float | None = None) -> dict[str, float | int | str]:
    figure: dict[str, float | int | str] = {"label": label, "value": value, "n": n, "date": DATE}
    return figure if baseline is None else figure | {"baseline": baseline}


MEASURED: dict[str, dict[str, float | int | str]] = {
    "contract_nli_auc": _figure("support of claims by contract clauses (ContractNLI), ROC AUC", 0.856, 131, 0.725),
    "expertqa_support_auc": _figure("support of claims by web evidence (ExpertQA), ROC AUC", 0.751, 100, 0.709),
    "altered_flagged": _figure("sentences of real contracts with one thing changed, share flagged", 0.972, 215),
    "unaltered_flagged": _figure("the same sentences unchanged, share flagged", 0.0, 66),
    "reworded_flagged": _figure("the same sentences in other words, share flagged", 0.0, 150),
    "altered_reworded_flagged": _figure("in other words and with one thing changed, share flagged", 0.9, 150),
    "sample_wrong_flagged": _figure("wrong statements of the constructed sample, share flagged", 0.541, 37),
    "sample_right_flagged": _figure("right statements of the constructed sample, share flagged", 0.009, 214),
    "yes_no_correct": _figure("bare yes or no to questions about a clause, share judged right", 0.772, 289),
}
