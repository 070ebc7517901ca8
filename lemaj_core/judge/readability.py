"""Readability of an answer: counted, not judged. Needs no document, no model and no network."""

from lemaj_core.judge import Ask
from lemaj_core.metrics.readability import LEAST_WORDS, counted
from lemaj_core.types import Document, Finding, Item, Request, Status


class ReadabilityExaminer:
    """Counts the words, sentences and syllables of an answer."""

    group = "readability"
    version = f"textstat, legal sentences, from {LEAST_WORDS} words"

    async def examine(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Finding:
        """Count; the longest sentences are kept so that a reader sees what makes the grade."""
        return Finding(item.id, self.group, "textstat", Status.SCORED, counted(item.answer))

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """Nothing is asked."""
        return []
