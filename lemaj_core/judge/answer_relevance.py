"""SCORE's answer relevance: questions written back from the masked answer, compared with the question that was asked.

The same is done with the answer as it is, so that a page can show what masking takes away; only the masked variant is
the score. Masking is done by reading, for every judge; questions come from the packaged model or from the judge.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from lemaj_core.errors import CallFailed
from lemaj_core.judge import OFFLINE, Ask, questions, sender
from lemaj_core.judge.dialogue import Dialogue
from lemaj_core.judge.masking import PLACEHOLDERS, Masked, mask
from lemaj_core.judge.parse import Unreadable
from lemaj_core.judge.questions import WANTED
from lemaj_core.judge.specificity_source import source_of
from lemaj_core.models import generate
from lemaj_core.models.pooled import embed
from lemaj_core.types import Document, FailureKind, Finding, Item, Request, RunSettings, Status

PACKAGED = "packaged"


class AnswerRelevanceExaminer:
    """Masks an answer, has five questions written from it, and measures how near they are to the question asked.

    Parameters
    ----------
    judge : str
        "offline": the packaged language model writes the questions; else the model that does.
    settings : RunSettings
        Whose preset says what is masked.
    model : Model, optional
        What sends requests; by default the one that belongs to the judge's name.
    """

    group = "answer_relevance"

    def __init__(self, judge: str, settings: RunSettings, *, model: Any = None):
        self.judge = judge
        self.settings = settings
        self.model = model if model is not None or judge == OFFLINE else sender(judge, settings)
        writer = generate.VERSION if judge == OFFLINE else questions.version()
        self.version = f"answer_relevance/1+{writer}/{settings.preset}"

    async def examine(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Finding:
        """Give the masked answer and both sets of questions with their similarity to the question asked."""
        for name, text in (("question", item.question), ("answer", item.answer)):
            if not text.strip():
                return Finding(item.id, self.group, self._by, Status.UNDEFINED, reason=f"the {name} is empty")
        masked = self._masked(item, document)
        texts = [masked.text, item.answer] if masked.hidden else [masked.text]
        if self.judge == OFFLINE:
            written = generate.writer().questions(texts, WANTED)
            notes = ["only the beginning of the answer was read for questions"] if written[0].cut else []
            return self._measured(item, masked, [list(one.questions) for one in written], notes, ())
        talk = Dialogue[list[str]](ask, self.model.complete, questions.read, questions.repair)
        found: list[list[str]] = []
        for text in texts:
            try:
                outcome = await talk.hold(self._request(text, repeat))
            except CallFailed as failure:
                outcome = Unreadable(FailureKind(failure.kind), str(failure))
            if isinstance(outcome, Unreadable):
                return Finding(
                    item.id, self.group, self._by, Status.FAILED, {}, outcome.kind, outcome.problem, tuple(talk.calls)
                )
            found.append(outcome)
        return await asyncio.to_thread(self._measured, item, masked, found, [], tuple(talk.calls))

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """The requests for questions, masked and as it is; the offline judge asks nothing."""
        if self.judge == OFFLINE or not item.question.strip() or not item.answer.strip():
            return []
        masked = self._masked(item, document)
        texts = [masked.text, item.answer] if masked.hidden else [masked.text]
        return [(self._request(text, 0), 30 * WANTED) for text in texts]

    @property
    def _by(self) -> str:
        return PACKAGED if self.judge == OFFLINE else self.judge

    def _masked(self, item: Item, document: Document | None) -> Masked:
        source = source_of(item, document)
        return mask(item.answer, self.settings.preset, "" if source is None else source.text)

    def _request(self, text: str, repeat: int) -> Request:
        placeholders = tuple(PLACEHOLDERS.get(self.settings.preset, {}).values())
        return questions.request(text, placeholders, self.judge, self.settings, repeat)

    def _measured(
        self, item: Item, masked: Masked, found: Sequence[Sequence[str]], notes: Sequence[str], calls: tuple[str, ...]
    ) -> Finding:
        said = list(notes)
        if not masked.hidden:
            said.append("nothing in the answer was masked: masked and unmasked are the same")
        vectors = embed([item.question, *(text for several in found for text in several)])
        asked, rest = vectors[0], iter(vectors[1:])
        if asked.chunks > 1:
            said.append(f"the question is longer than the embedding model reads: mean of {asked.chunks} chunks")
        compared = [
            [{"text": text, "similarity": float(asked.vector @ next(rest).vector)} for text in several]
            for several in found
        ]
        if len(compared[0]) < WANTED:
            said.append(f"{len(compared[0])} of {WANTED} questions could be used")
        detail = {
            "masked": masked.text,
            "hidden": [list(place) for place in masked.hidden],
            "questions": compared[0],
            "unmasked": compared[-1],
            "wanted": WANTED,
        }
        if not compared[0]:
            reason = "no question was generated"
            return Finding(item.id, self.group, self._by, Status.UNDEFINED, detail, None, reason, calls, tuple(said))
        return Finding(item.id, self.group, self._by, Status.SCORED, detail, calls=calls, notes=tuple(said))
