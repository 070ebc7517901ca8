"""Which points of an answer carry it: the relevance that a cross-encoder gives the answer with and without each.

Needs no judge, no document and no network; SCORE uses bge-reranker-base, this is the packaged ms-marco-MiniLM-L-12, so
logits and Deltas are on another scale than the published ones. The introduction stays first and a closing (the
confidence, for example) last.
"""

import asyncio

from lemaj_core.judge import OFFLINE, Ask
from lemaj_core.judge.answer_points import split
from lemaj_core.metrics.relevance import rerank_points
from lemaj_core.models.rerank import LONGEST, cross_encoder
from lemaj_core.types import Document, Finding, Item, Request, Status

MODEL = "ms-marco-MiniLM-L-12"


class RerankingExaminer:
    """Orders the points of an answer by what leaving each out takes from its relevance.

    Parameters
    ----------
    judge : str
        Only "offline" matters: its lane is a thread of its own already.
    """

    group = "reranking"
    version = f"reranking/1+{MODEL}"

    def __init__(self, judge: str = OFFLINE):
        self.judge = judge

    async def examine(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Finding:
        """Give Delta of each point, the new order, and whether it changed."""
        if self.judge == OFFLINE:
            return self._ranked(item)
        return await asyncio.to_thread(self._ranked, item)

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """Nothing is asked."""
        return []

    def _ranked(self, item: Item) -> Finding:
        for name, text in (("question", item.question), ("answer", item.answer)):
            if not text.strip():
                return Finding(item.id, self.group, MODEL, Status.UNDEFINED, reason=f"the {name} is empty")
        parts = split(item.answer)
        # Without its only point nothing is left of an answer that could be scored.
        points = parts.points if len(parts.points) > 1 else ()
        model = cross_encoder(LONGEST)
        texts = [parts.without(item.answer), *(parts.without(item.answer, number) for number in range(len(points)))]
        full, *without = (float(score) for score in model.scores(item.question, texts))
        found = rerank_points(full, without)
        notes = [] if points else ["the answer has one point: there is no order"]
        if (read := model.read_of(item.question, texts[0])) < len(texts[0]):
            notes.append(
                f"the cross-encoder reads {LONGEST} word pieces: the last {len(texts[0]) - read:,} characters of the "
                "answer move nothing"
            )
        detail = {
            "form": parts.form,
            "intro": list(parts.intro),
            "points": [list(span) for span in points],
            "closing": list(parts.closing),
            "full": full,
            "without": without,
            "delta": found.delta.tolist(),
            "order": list(found.order),
            "changed": found.changed,
        }
        return Finding(item.id, self.group, MODEL, Status.SCORED, detail, notes=tuple(notes))
