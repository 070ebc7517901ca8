"""SCORE's robustness: the same answer to the question in other words, another answer to another question.

New answers come from the user's columns, where the file has them, or from a language model that reads the same
documents. Without either there is nothing to compare, and the finding says so; nothing is made up offline.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from lemaj_core.errors import CallFailed
from lemaj_core.judge import OFFLINE, Ask, changed_questions, sender
from lemaj_core.judge.changed_questions import PARAPHRASE, PERTURBATION, Changed
from lemaj_core.judge.dialogue import Dialogue
from lemaj_core.judge.parse import Unreadable
from lemaj_core.judge.specificity_source import source_of
from lemaj_core.models.pooled import embed
from lemaj_core.types import Document, FailureKind, Finding, Item, Request, RunSettings, Status

COLUMNS: Mapping[str, tuple[str, ...]] = {
    PARAPHRASE: ("paraphrase_answer", "paraphrased_answer", "answer_paraphrase", "answer_to_paraphrase"),
    PERTURBATION: ("perturbed_answer", "perturbation_answer", "answer_perturbed", "answer_to_perturbation"),
}
ASKED: Mapping[str, tuple[str, ...]] = {
    PARAPHRASE: ("paraphrased_question", "paraphrase_question", "question_paraphrase", "paraphrase"),
    PERTURBATION: ("perturbed_question", "perturbation_question", "question_perturbed", "perturbation"),
}
COLUMN = "column"


class RobustnessExaminer:
    """Compares an answer with the answers to a paraphrased and to a perturbed question.

    Parameters
    ----------
    judge : str
        "offline": only the user's columns; else the model that writes questions and answers where there are none.
    settings : RunSettings
        Names of the columns; by default they are guessed. Whose preset says what a perturbation changes.
    model : Model, optional
        What sends requests; by default the one that belongs to the judge's name.
    """

    group = "robustness"

    def __init__(self, judge: str, settings: RunSettings, *, model: Any = None):
        self.judge = judge
        self.settings = settings
        self.model = model if model is not None or judge == OFFLINE else sender(judge, settings)
        self.named = {PARAPHRASE: settings.paraphrase_column, PERTURBATION: settings.perturbation_column}
        writer = COLUMN if judge == OFFLINE else changed_questions.version()
        self.version = f"robustness/1+{writer}/{'/'.join(str(name) for name in self.named.values())}"

    async def examine(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Finding:
        """Give the similarity of the answer with each new answer, and where that came from."""
        if not item.answer.strip():
            return Finding(item.id, self.group, self.judge, Status.UNDEFINED, reason="the answer is empty")
        found = {kind: self._from_column(kind, item) for kind in (PARAPHRASE, PERTURBATION)}
        calls: tuple[str, ...] = ()
        notes: list[str] = []
        lacking = [kind for kind, part in found.items() if part is None]
        if lacking and self.judge != OFFLINE:
            written, calls = await self._written(item, document, ask, lacking, repeat)
            if isinstance(written, Unreadable):
                return Finding(item.id, self.group, self.judge, Status.FAILED, {}, written.kind, written.problem, calls)
            found |= written
            notes.append(f"new answers were written by {self.judge}, not by the system that wrote the first one")
        parts = {kind: part or {"reason": _nothing(kind)} for kind, part in found.items()}
        if self.judge == OFFLINE:
            return self._compared(item, parts, notes, calls)
        return await asyncio.to_thread(self._compared, item, parts, notes, calls)

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """The request for changed questions, and those for new answers with the old question in place of the new."""
        lacking = [kind for kind in (PARAPHRASE, PERTURBATION) if self._from_column(kind, item) is None]
        source = source_of(item, document)
        if self.judge == OFFLINE or not lacking or not item.answer.strip() or source is None:
            return []
        words = 2 * len(item.answer.split())
        return [
            (changed_questions.ask_questions(item, self.judge, self.settings, 0), 4 * len(item.question.split())),
            *((self._ask_answer(item.question, kind, source.text, item, 0), words) for kind in lacking),
        ]

    def _from_column(self, kind: str, item: Item) -> dict[str, Any] | None:
        """Read a new answer from the row; None where the row has no such column."""
        named = self.named[kind]
        column = named if named is not None else next((name for name in COLUMNS[kind] if name in item.extra), None)
        if column is None:
            return None
        text = str(item.extra.get(column) or "").strip()
        if not text:
            why = f"the column {column} is empty" if column in item.extra else f"the row has no column {column}"
            return {"reason": why}
        question = next((str(item.extra[name]) for name in ASKED[kind] if item.extra.get(name)), None)
        return {"answer": text, "question": question, "from": COLUMN, "column": column}

    def _ask_answer(self, question: str, kind: str, source: str, item: Item, repeat: int) -> Request:
        return changed_questions.ask_answer(question, kind, source, item, self.judge, self.settings, repeat)

    async def _written(
        self, item: Item, document: Document | None, ask: Ask, lacking: list[str], repeat: int
    ) -> tuple[dict[str, dict[str, Any] | None] | Unreadable, tuple[str, ...]]:
        """Have the questions changed and answered anew."""
        source = source_of(item, document)
        if source is None:
            reason = "no document and no contexts to answer a changed question from"
            return {kind: {"reason": reason} for kind in lacking}, ()
        changing = Dialogue[Changed](
            ask,
            self.model.complete,
            lambda text, why: changed_questions.read_questions(text, why, item.question),
            changed_questions.repair,
        )
        answering = Dialogue[str](
            ask,
            self.model.complete,
            changed_questions.read_answer,
            lambda problem: f"Your reply could not be used: {problem}. Answer the question again, in plain text.",
        )
        found: dict[str, dict[str, Any] | None] = {}
        try:
            changed = await changing.hold(changed_questions.ask_questions(item, self.judge, self.settings, repeat))
            if isinstance(changed, Unreadable):
                return changed, tuple(changing.calls)
            for kind in lacking:
                question = changed.paraphrase if kind == PARAPHRASE else changed.perturbation
                answer = await answering.hold(self._ask_answer(question, kind, source.text, item, repeat))
                if isinstance(answer, Unreadable):
                    return answer, (*changing.calls, *answering.calls)
                found[kind] = {"answer": answer, "question": question, "from": self.judge}
        except CallFailed as failure:
            return Unreadable(FailureKind(failure.kind), str(failure)), (*changing.calls, *answering.calls)
        return found, (*changing.calls, *answering.calls)

    def _compared(
        self, item: Item, parts: Mapping[str, dict[str, Any]], notes: list[str], calls: tuple[str, ...]
    ) -> Finding:
        there = [kind for kind, part in parts.items() if "answer" in part]
        if not there:
            reasons = "; ".join(dict.fromkeys(str(part["reason"]) for part in parts.values()))
            return Finding(item.id, self.group, self.judge, Status.UNDEFINED, reason=reasons, calls=calls)
        first, *others = embed([item.answer, *(parts[kind]["answer"] for kind in there)])
        for kind, other in zip(there, others, strict=True):
            parts[kind]["similarity"] = float(first.vector @ other.vector)
            parts[kind]["chunks"] = other.chunks
        if longest := max(first.chunks, *(other.chunks for other in others)) - 1:
            notes.append(f"texts longer than 256 word pieces were embedded in up to {longest + 1} chunks and averaged")
        return Finding(
            item.id,
            self.group,
            self.judge,
            Status.SCORED,
            {**parts, "chunks": first.chunks},
            calls=calls,
            notes=tuple(notes),
        )


def _nothing(kind: str) -> str:
    return (
        f"no answer to a {'paraphrased' if kind == PARAPHRASE else 'perturbed'} question: name its column, "
        "or choose a language model as judge"
    )
