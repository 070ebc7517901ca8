"""Baselines of an answer: counted against the reference answer, not judged. Needs no model and no network."""

from lemaj_core.judge import Ask
from lemaj_core.metrics.baselines import overlap
from lemaj_core.types import Document, Finding, Item, Request, Status


class BaselinesExaminer:
    """Counts how far the words of an answer are those of its reference."""

    group = "baselines"
    version = "sacrebleu, rouge-score with stemmer"

    async def examine(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Finding:
        """Count; undefined where there is no reference answer or one of the two has no words."""
        if not item.reference or not item.reference.strip():
            return Finding(item.id, self.group, "counted", Status.UNDEFINED, reason="no reference answer")
        if not item.answer.strip():
            return Finding(item.id, self.group, "counted", Status.UNDEFINED, reason="the answer is empty")
        return Finding(item.id, self.group, "counted", Status.SCORED, overlap(item.answer, item.reference))

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """Nothing is asked."""
        return []
