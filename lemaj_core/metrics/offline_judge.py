"""What the offline judge was measured to reach; shown wherever its numbers stand. Facts only, no code that computes.

``benchmarks/offline_judge.py`` measures them again.
"""

DATE = "2026-11-30"

MEASURED: dict[str, dict[str, float | int | str]] = {
    "contract_nli_auc": {
        "label": "Support of claims by contract clauses (ContractNLI), ROC AUC",
        "value": 0.81,
        "baseline": 0.66,
        "n": 131,
        "date": DATE,
    },
    "expertqa_support_auc": {
        "label": "Support of claims by web evidence (ExpertQA), ROC AUC",
        "value": 0.76,
        "baseline": 0.65,
        "n": 100,
        "date": DATE,
    },
}
