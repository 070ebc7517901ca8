"""From what was found out about an answer to its scores: which formula belongs to which group of metrics.

The formulas stand in the files of their metrics; here they are only chosen. Nothing is asked again: a finding holds
all that its scores come from.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lemaj_core.errors import SettingsError
from lemaj_core.metrics import baselines, context_utilization, readability, relevance, robustness, specificity
from lemaj_core.metrics.table import in_group
from lemaj_core.types import Finding, RunSettings, Score, Status

FORMULAS: Mapping[str, Callable[[Mapping[str, Any], RunSettings], dict[str, Score]]] = {
    "answer_relevance": relevance.scores,
    "baselines": baselines.scores,
    "context_utilization": context_utilization.scores,
    "readability": readability.scores,
    "reranking": relevance.reranking_scores,
    "robustness": robustness.scores,
    "specificity": specificity.scores,
}


def scores(findings: Sequence[Finding], settings: RunSettings) -> dict[str, Score]:
    """Compute the scores of what was found out about one answer.

    Parameters
    ----------
    findings : sequence of Finding
        At most one counts for each group: the first. Others (a second proxy model) are there to be compared.
    settings : RunSettings
        Weights and conventions.

    Returns
    -------
    dict of str to Score
        Every metric of the groups found, undefined or failed with the reason of the finding where there is no detail.

    Raises
    ------
    SettingsError
        If a group has no formula.
    """
    found: dict[str, Score] = {}
    for finding in findings:
        if finding.group not in FORMULAS:
            raise SettingsError(f"no metrics are computed from findings called {finding.group!r}")
        if finding.status is Status.SCORED:
            made = FORMULAS[finding.group](finding.detail, settings)
        elif finding.status is Status.FAILED:
            reason = finding.reason or str(finding.failure or "failed")
            made = {metric.key: Score.failed(reason) for metric in in_group(finding.group)}
        else:
            made = {metric.key: Score.undefined(finding.reason or "") for metric in in_group(finding.group)}
        found = made | found
    return found
