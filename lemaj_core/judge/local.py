"""The offline judge: Legal Data Points and tags without a language model, a key or a network.

It cuts the answer into sentences and list items, looks for the passage of the document that says the same, compares
the facts (amounts, dates, parties, negation), and asks a small cross-encoder what is on the question. It is
approximate: what it was measured to reach stands in :mod:`lemaj_core.metrics.offline_judge` and is shown wherever
its numbers are. It does no legal reasoning and draws no conclusion from two clauses together.
"""

import asyncio
import hashlib
import json
from typing import Any

from lemaj_core.errors import CallFailed
from lemaj_core.judge import OFFLINE, Ask
from lemaj_core.judge.local_verdicts import verdicts
from lemaj_core.metrics.offline_judge import MEASURED
from lemaj_core.types import (
    DataPoint,
    Document,
    Evidence,
    FailureKind,
    Item,
    Judgement,
    Reply,
    Request,
    RunSettings,
    Status,
    Tag,
)

__all__ = ["MEASURED", "VERSION", "LocalJudge"]

VERSION = "offline-3"
"""Changes whenever the same answer could be judged differently."""


class LocalJudge:
    """Judge answers with the packaged models.

    Parameters
    ----------
    settings : RunSettings
        Strictness (how readily a true point is called irrelevant) and whether reference answers are used.
    """

    name = OFFLINE
    approximate = True
    version = VERSION

    def __init__(self, settings: RunSettings):
        self._settings = settings

    def request(self, item: Item, document: Document | None) -> Request:
        """Name everything that decides the outcome; a document stands there by its digest."""
        digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest() if document else None
        reference = item.reference if self._settings.use_reference else None
        content = {
            "question": item.question,
            "answer": item.answer,
            "document_sha256": digest,
            "document_id": document.id if document else None,
            "reference": reference,
        }
        return Request(
            model=OFFLINE,
            messages=({"role": "user", "content": json.dumps(content, ensure_ascii=False)},),
            parameters={"version": VERSION, "strictness": str(self._settings.strictness)},
            schema_version=VERSION,
        )

    async def judge(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Judgement:
        """Judge one answer; the points travel as a JSON reply, so that ledger, cache and raw reply work as for a model.

        Parameters
        ----------
        item : Item
            The question, the answer and, if any, the reference answer.
        document : Document or None
            What the answer is checked against; without it no point is tagged, unless there is a reference answer.
        ask : Ask
            Looks into the ledger, or calls and stores.
        repeat : int
            Ignored: the same answer is always judged alike.

        Returns
        -------
        Judgement
            Scored, or failed when the packaged models cannot be loaded.
        """
        request = self.request(item, document)

        async def call(request: Request) -> Reply:
            text = await asyncio.to_thread(self._reply, item, document)
            return Reply(text=text, finish_reason="stop", usage={}, cost=0.0, model=OFFLINE)

        try:
            reply = await ask(request, call)
        except CallFailed as error:
            return _failed(item, FailureKind(error.kind), str(error), request)
        try:
            body = json.loads(reply.text)
            points = tuple(_point(item, point) for point in body["points"])
            notes = tuple(str(note) for note in body["notes"])
        except (ValueError, KeyError, TypeError) as error:
            return _failed(
                item, FailureKind.MALFORMED, f"the stored reply of the offline judge is damaged: {error}", request
            )
        return Judgement(item.id, OFFLINE, Status.SCORED, points, calls=(request.key(),), notes=notes)

    def _reply(self, item: Item, document: Document | None) -> str:
        reference = item.reference if self._settings.use_reference else None
        found = verdicts(item.question, item.answer, document, reference, self._settings.strictness)
        return json.dumps(
            {"version": VERSION, "points": found.points, "notes": found.notes}, ensure_ascii=False, indent=1
        )


def _failed(item: Item, kind: FailureKind, reason: str, request: Request) -> Judgement:
    return Judgement(item.id, OFFLINE, Status.FAILED, failure=kind, reason=reason, calls=(request.key(),))


def _point(item: Item, point: dict[str, Any]) -> DataPoint:
    start, end = point["start"], point["end"]
    return DataPoint(
        id=point["id"],
        text=point["text"],
        tag=None if point["tag"] is None else Tag(point["tag"]),
        reason=point["reason"],
        start=start,
        end=end,
        quote=None if start is None else item.answer[start:end],
        evidence=tuple(Evidence(**evidence) for evidence in point["evidence"]),
        confidence=point["confidence"],
    )
