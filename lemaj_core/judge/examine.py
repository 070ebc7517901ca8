"""Examiners: who finds out what a group of metrics needs, beside the data points of an answer.

One examiner per group of metrics, each in a file of its own that is imported when a run needs it. An examiner gets one
answer with its document and returns one or more :class:`~lemaj_core.types.Finding`; like a judge it computes no score,
touches no store, stops no run, and sends whatever it asks through the ``ask`` it is given.
"""

from collections.abc import Sequence
from typing import Protocol

from lemaj_core.judge import Ask
from lemaj_core.types import Document, Finding, Item, Request, RunSettings


class Examiner(Protocol):
    """Anything that can examine one answer for one group of metrics.

    Attributes
    ----------
    group : str
        The group of metrics.
    version : str
        Changes whenever the same answer could be found otherwise: prompt, parameters, word lists, models.
    """

    group: str
    version: str

    async def examine(
        self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0
    ) -> Finding | Sequence[Finding]:
        """Examine one answer; ``repeat`` is the number of earlier failed tries of this answer."""
        ...

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """First requests to a language model with the tokens each reply may have, so that a plan can price them."""
        ...


def examiners(judge: str, settings: RunSettings) -> list[Examiner]:
    """Build the examiners that the chosen metrics need, in their order.

    Parameters
    ----------
    judge : str
        "offline", or the model that is asked; metrics that need no judge ignore it.
    settings : RunSettings
        Whose ``metrics`` choose the groups.

    Raises
    ------
    SettingsError
        If the settings do not fit a group.
    """
    found: list[Examiner] = []
    for group in settings.metrics:
        if group == "readability":
            from lemaj_core.judge.readability import ReadabilityExaminer

            found.append(ReadabilityExaminer())
        elif group == "baselines":
            from lemaj_core.judge.baselines import BaselinesExaminer

            found.append(BaselinesExaminer())
        elif group == "specificity":
            from lemaj_core.judge.specificity import SpecificityExaminer

            found.append(SpecificityExaminer(judge, settings))
        elif group == "context_utilization":
            from lemaj_core.judge.context_utilization import ContextUtilizationExaminer

            found.append(ContextUtilizationExaminer(judge, settings))
        elif group == "answer_relevance":
            from lemaj_core.judge.answer_relevance import AnswerRelevanceExaminer

            found.append(AnswerRelevanceExaminer(judge, settings))
        elif group == "reranking":
            from lemaj_core.judge.reranking import RerankingExaminer

            found.append(RerankingExaminer(judge))
        elif group == "robustness":
            from lemaj_core.judge.robustness import RobustnessExaminer

            found.append(RobustnessExaminer(judge, settings))
    return found
