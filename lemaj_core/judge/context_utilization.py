"""Context utilization of an answer: the claims of its context, and its likelihood with and without each.

Claims are the sentences of the context for the offline judge, and what a model extracts for any other. Which claims a
judge cites as evidence is not asked again: offsets of claims are those of evidence, so a page can compare them.
"""

import asyncio
import hashlib
import threading
from collections.abc import Sequence
from string import Template
from typing import Any

from lemaj_core.errors import CallFailed, LemajError, SettingsError
from lemaj_core.judge import OFFLINE, Ask, prompt, sender
from lemaj_core.judge.context_passages import (
    MOST_CLAIMS,
    Claim,
    Passage,
    by_sentence,
    most_relevant,
    passages,
    placed,
    unique,
)
from lemaj_core.judge.dialogue import Dialogue, listed
from lemaj_core.judge.parse import Unreadable, by_letters, excerpt
from lemaj_core.models.likelihood import PACKAGED, Confidences, agreement, proxy
from lemaj_core.text import normalise
from lemaj_core.text.locate import locate
from lemaj_core.types import Document, FailureKind, Finding, Item, Request, RunSettings, Status

PROMPT = "context_claims"
SCHEMA: dict[str, Any] = {
    "name": "context_claims",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["claims"],
        "properties": {
            "claims": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["passage", "quote", "text"],
                    "properties": {
                        "passage": {"type": "integer"},
                        "quote": {"type": "string"},
                        "text": {"type": "string"},
                    },
                },
            }
        },
    },
}
# In a fast run one answer in so many is scored exactly as well, so that the page can say how far to trust the run.
CHECKED = 10
_LEAST_ROOM, _MOST_ROOM = 2048, 16384
_REPAIR = (
    "Your reply could not be used: $problem\n\nSend the whole reply again, corrected: one JSON object "
    '{"claims": [{"passage": 1, "quote": "...", "text": "..."}]} and nothing before or after it.'
)


class ContextUtilizationExaminer:
    """Finds the claims of an answer's context and scores the answer with each left out, by one or more proxies.

    ``detail`` of a finding holds the place of the proxy among those of the run, the claims with their offsets, the
    likelihoods and entropies with all claims and without each, the likelihood given the whole passages, and whether
    the effects are exact.

    Parameters
    ----------
    judge : str
        "offline": claims by sentence; else the model that extracts them.
    settings : RunSettings
        Names of the proxies, and whether to score exactly or fast.
    model : Model, optional
        What sends requests; by default the one that belongs to the judge's name.
    """

    group = "context_utilization"

    def __init__(self, judge: str, settings: RunSettings, *, model: Any = None):
        if not settings.proxies:
            raise SettingsError("context utilization needs a proxy model; name one, for example proxies=packaged")
        self.judge = judge
        self.settings = settings
        self.model = model if model is not None or judge == OFFLINE else sender(judge, settings)
        claims = "sentences" if judge == OFFLINE else _prompt_version()
        self.version = f"context_utilization/1+{claims}/{settings.cu_mode}/{','.join(settings.proxies)}"
        self._broken: dict[str, str] = {}
        self._lock = threading.Lock()

    async def examine(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> list[Finding]:
        """Give one finding per proxy, the first proxy's first."""
        found, notes = passages(item, document)
        if not item.answer.strip():
            return self._all(item, Status.UNDEFINED, "the answer is empty")
        if not found:
            return self._all(item, Status.UNDEFINED, "no retrieved contexts and no document")
        calls: tuple[str, ...] = ()
        if self.judge == OFFLINE:
            claims = by_sentence(found)
        else:
            talk = Dialogue[list[Claim]](ask, self.model.complete, lambda text, why: _read(text, why, found), _repair)
            try:
                outcome = await talk.hold(self._request(item, found, repeat))
            except CallFailed as failure:
                outcome = Unreadable(FailureKind(failure.kind), str(failure))
            calls = tuple(talk.calls)
            if isinstance(outcome, Unreadable):
                return self._all(item, Status.FAILED, outcome.problem, failure=outcome.kind, calls=calls)
            claims = outcome
        if not claims:
            return self._all(item, Status.UNDEFINED, "the context has no claims", calls=calls)
        kept = most_relevant(claims, item.question)
        if len(kept) < len(claims):
            notes.append(f"the {len(kept)} of {len(claims)} claims that share most words with the question")
        if self.judge == OFFLINE:
            return self._measured(item, found, kept, notes, calls)
        return await asyncio.to_thread(self._measured, item, found, kept, notes, calls)

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """The request for claims; the offline judge asks nothing."""
        found, _ = passages(item, document) if self.judge != OFFLINE else ([], [])
        if not found or not item.answer.strip():
            return []
        return [(self._request(item, found, 0), _expected(found))]

    def _request(self, item: Item, found: Sequence[Passage], repeat: int) -> Request:
        named = {f"PASSAGE {number}": passage.text for number, passage in enumerate(found, start=1)}
        shown = {name: prompt.visible(text) for name, text in (*named.items(), ("QUESTION", item.question))}
        everything = "\n".join(shown.values())
        body = [prompt.fenced(name, text, everything) for name, text in shown.items()]
        closing = "List the claims of the passages by the rules you were given. Reply with the one JSON object."
        system = Template(prompt.template(PROMPT)).substitute(most=MOST_CLAIMS)
        room = min(max(-(-2 * _expected(found) // 1024) * 1024, _LEAST_ROOM), _MOST_ROOM)
        return Request(
            model=self.judge,
            messages=(
                {"role": "system", "content": system},
                {"role": "user", "content": "\n\n".join([*body, closing])},
            ),
            parameters={"temperature": 0, "seed": repeat, "max_tokens": room},
            base_url=self.settings.base_url,
            schema=SCHEMA,
            schema_version=f"context_claims/1+{_prompt_version()}",
            repeat=repeat,
        )

    def _measured(
        self,
        item: Item,
        found: Sequence[Passage],
        claims: Sequence[Claim],
        notes: Sequence[str],
        calls: tuple[str, ...],
    ) -> list[Finding]:
        made = []
        for place, name in enumerate(self.settings.proxies):
            by = _full_name(name)
            try:
                detail, more = self._scored(by, item, found, claims)
            except LemajError as error:
                kind = FailureKind(error.kind) if isinstance(error, CallFailed) else FailureKind.INTERNAL
                made.append(
                    Finding(
                        item.id, self.group, by, Status.FAILED, {"place": place}, kind, str(error), calls, tuple(notes)
                    )
                )
                continue
            made.append(
                Finding(
                    item.id,
                    self.group,
                    by,
                    Status.SCORED,
                    {"place": place} | detail,
                    calls=calls,
                    notes=(*notes, *more),
                )
            )
        return made

    def _scored(
        self, name: str, item: Item, found: Sequence[Passage], claims: Sequence[Claim]
    ) -> tuple[dict[str, Any], list[str]]:
        model = self._loaded(name)
        texts, notes = [claim.text for claim in claims], []
        check = None
        if self.settings.cu_mode == "fast" and model.shares_prefixes and _is_checked(item.id):
            both = agreement(model, item.question, texts, item.answer)
            values = both.fast
            check = {"pearson": both.pearson, "same_strongest": both.same_strongest, "claims": len(texts)}
        else:
            values = model.confidences(item.question, texts, item.answer, fast=self.settings.cu_mode == "fast")
        whole: Confidences | None = None
        try:
            whole = model.confidence(item.question, [passage.text for passage in found], item.answer)
        except CallFailed as failure:
            notes.append(f"not scored on the whole passages: {failure}")
        return {
            "claims": [claim.as_json() for claim in claims],
            "claims_by": "sentences" if self.judge == OFFLINE else self.judge,
            "passages": len(found),
            "retrieved": any(context.strip() for context in item.contexts),
            "full": values.full,
            "without": values.without.tolist(),
            "full_documents": None if whole is None else whole.full,
            "entropy_full": values.entropy_full,
            "entropy_without": values.entropy_without.tolist(),
            "context_tokens": values.context_tokens,
            "answer_tokens": values.answer_tokens,
            "approximate": values.approximate,
            "check": check,
        }, notes

    def _loaded(self, name: str) -> Any:
        # A name that cannot be loaded is sought once, not for every answer; two threads load one model once.
        with self._lock:
            if name in self._broken:
                raise SettingsError(self._broken[name])
            try:
                return proxy(name)
            except SettingsError as error:
                self._broken[name] = str(error)
                raise

    def _all(
        self,
        item: Item,
        status: Status,
        reason: str,
        *,
        failure: FailureKind | None = None,
        calls: tuple[str, ...] = (),
    ) -> list[Finding]:
        return [
            Finding(item.id, self.group, _full_name(name), status, {"place": place}, failure, reason, calls)
            for place, name in enumerate(self.settings.proxies)
        ]


def _full_name(name: str) -> str:
    return PACKAGED if name == "packaged" else name


def _is_checked(item_id: str) -> bool:
    return int.from_bytes(hashlib.sha256(item_id.encode()).digest()[:4]) % CHECKED == 0


def _prompt_version() -> str:
    return hashlib.sha256(f"{prompt.template(PROMPT)}\0{_REPAIR}".encode()).hexdigest()[:12]


def _expected(found: Sequence[Passage]) -> int:
    """Tokens a reply is likely to have: each claim comes back as quote and text."""
    return 200 + sum(len(passage.text) for passage in found) * 5 // 8


def _repair(problem: str) -> str:
    return Template(_REPAIR).substitute(problem=problem)


def _read(text: str | None, finish_reason: str | None, found: Sequence[Passage]) -> list[Claim] | Unreadable:
    """Read the claims of a reply; taken whole or not at all."""
    rows = listed(text, finish_reason, "claims")
    if isinstance(rows, Unreadable):
        return rows
    claims = []
    for number, row in enumerate(rows, start=1):
        fields = by_letters(row) if isinstance(row, dict) else {}
        said, quote, passage = (fields.get(name) for name in ("text", "quote", "passage"))
        if not isinstance(said, str) or not said.strip():
            return Unreadable(FailureKind.MALFORMED, f"claim {number} has no text")
        if isinstance(passage, str) and passage.strip().isdecimal():
            passage = int(passage)
        if isinstance(passage, bool) or not isinstance(passage, int) or not 1 <= passage <= len(found):
            return Unreadable(
                FailureKind.MALFORMED,
                f"claim {number} has the passage {excerpt(repr(passage), 40)}; it must be 1 to {len(found)}",
            )
        claim = Claim(" ".join(normalise(said).split()), passage - 1)
        match = locate(normalise(quote), found[passage - 1].text) if isinstance(quote, str) else None
        claims.append(placed(claim, found[passage - 1], match.start, match.end) if match else claim)
    return unique(sorted(claims, key=lambda claim: claim.passage))
