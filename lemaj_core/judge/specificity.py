"""Specificity of an answer: its claims, what each states in every dimension, and k judges' labels with evidence.

Offline the claims are the answer's sentences and three judges differ in how evidence may match. With models, one call
splits the answer and k calls label it; or k models label it once each. It finds; what the labels are worth is computed
in :mod:`lemaj_core.metrics.specificity`.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from lemaj_core.errors import CallFailed, SettingsError
from lemaj_core.judge import OFFLINE, Ask, Call, sender
from lemaj_core.judge import specificity_model as asked
from lemaj_core.judge.dialogue import Dialogue
from lemaj_core.judge.local_points import Statement, statements
from lemaj_core.judge.parse import Unreadable
from lemaj_core.judge.specificity_offline import JUDGES, cells, readable
from lemaj_core.judge.specificity_source import Source, dimensions_of, source_of
from lemaj_core.text.locate import locate
from lemaj_core.types import Document, FailureKind, Finding, Item, Reply, Request, RunSettings, Status

VERSION = "specificity-offline-1"
NOTHING_TO_CHECK = "nothing to check against: no document and no contexts"
NO_CLAIM = "the answer makes no claim"
UNREAD = "no offline reader finds this in a claim; a model judges it"
# SCORE's answers end with how sure the model is; that is no claim about the matter.
_CONFIDENCE = re.compile(
    r"\W*(?:\d{1,2}[.)]\s*)?(?:overall )?confidence\b[^.]{0,40}(?:\d|high|medium|low)", re.IGNORECASE
)


class SpecificityExaminer:
    """Finds the claims of an answer and has them labelled.

    Parameters
    ----------
    judge : str
        "offline" or a model; with ``settings.vote_models`` those models judge instead.
    settings : RunSettings
        Preset or own dimensions, number of judges.
    models : mapping of str to call, optional
        What sends requests to a model, instead of litellm or a script.

    Raises
    ------
    SettingsError
        If the settings do not fit.
    """

    group = "specificity"

    def __init__(self, judge: str, settings: RunSettings, *, models: Mapping[str, Call] | None = None):
        if settings.votes < 1:
            raise SettingsError(f"{settings.votes} votes; there must be at least 1 judge")
        self.judge = judge
        self.settings = settings
        self.dimensions = dimensions_of(settings)
        self.offline = judge == OFFLINE and not settings.vote_models
        self._models = dict(models or {})
        for name in settings.vote_models:
            self._call(name)  # a name that no provider knows is refused before the run is stored
        named = json.dumps([settings.preset, list(self.dimensions)], ensure_ascii=False)
        self.version = f"{VERSION if self.offline else asked.version()}/{named}"

    def voters(self) -> list[tuple[str, str, bool]]:
        """Give each judge's name, its model, and whether it is the model's only vote."""
        models = self.settings.vote_models
        if models:
            return [(name, name, True) for name in models]
        k = self.settings.votes
        return [(f"{self.judge} #{number}", self.judge, k == 1) for number in range(1, k + 1)]

    def requests(self, item: Item, document: Document | None) -> list[tuple[Request, int]]:
        """First requests with the tokens expected back; the claims are guessed by sentence."""
        source = source_of(item, document)
        if self.offline or source is None:
            return []
        claims = asked.likely_claims(item.answer)
        tokens = asked.expected_tokens(len(claims), len(self.dimensions))
        voters, url = self.voters(), self.settings.base_url
        return [
            (asked.claims_request(item, voters[0][1], url), 100 + len(item.answer) // 2),
            *(
                (self._vote(item, source, claims, model, number, alone), tokens)
                for number, (_, model, alone) in enumerate(voters)
            ),
        ]

    async def examine(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Finding:
        """Examine one answer.

        Returns
        -------
        Finding
            Scored with claims and votes; undefined without a claim or a source; failed when the answer could not be
            split or no more than half of the judges gave a usable reply. A judge that failed beside a majority that
            did not is named in ``detail["failures"]`` and has no vote.
        """
        source = source_of(item, document)
        if source is None:
            return self._undefined(item, NOTHING_TO_CHECK)
        if self.offline:
            return await self._offline(item, source, ask)
        return await self._by_models(item, source, ask, repeat)

    async def _offline(self, item: Item, source: Source, ask: Ask) -> Finding:
        claims = [one for one in statements(item.answer) if not _CONFIDENCE.match(one.text)]
        if not claims:
            return self._undefined(item, NO_CLAIM)
        digest = hashlib.sha256(json.dumps(source, ensure_ascii=True).encode()).hexdigest()
        content = json.dumps({"answer": item.answer, "source_sha256": digest}, ensure_ascii=False)
        request = Request(
            model=OFFLINE,
            messages=({"role": "user", "content": content},),
            parameters={"group": self.group, "preset": self.settings.preset, "dimensions": list(self.dimensions)},
            schema_version=VERSION,
        )

        async def call(request: Request) -> Reply:
            rows = cells(claims, source.text, self.settings.preset, list(self.dimensions))
            return Reply(json.dumps(rows, ensure_ascii=False), "stop", {}, 0.0, model=OFFLINE)

        reply = await ask(request, call)
        rows = json.loads(reply.text)
        for vote in (vote for row in rows for votes in row.values() for vote in votes):
            vote["evidence"] = [
                {"quote": one["quote"], **source.place(one["start"], one["end"])} for one in vote["evidence"]
            ]
        served = readable(list(self.dimensions), self.settings.preset)
        unread = {name: UNREAD for name, reader in served.items() if reader is None}
        notes = tuple(f"“{name}”: {why}" for name, why in unread.items())
        detail = self._detail(claims, rows, JUDGES, source) | {"unread": unread}
        return Finding(item.id, self.group, self.judge, Status.SCORED, detail, calls=(request.key(),), notes=notes)

    async def _by_models(self, item: Item, source: Source, ask: Ask, repeat: int) -> Finding:
        voters, calls = self.voters(), list[str]()
        splitter = voters[0][1]
        request = asked.claims_request(item, splitter, self.settings.base_url, repeat)
        claims = await self._held(
            ask, splitter, request, lambda text, why: asked.read_claims(item.answer, text, why), calls
        )
        if isinstance(claims, Unreadable):
            return self._failed(item, claims.kind, f"splitting the answer: {claims.problem}", calls)
        if not claims:
            return self._undefined(item, NO_CLAIM, calls)
        votes: dict[str, asked.Votes] = {}
        failures: dict[str, Unreadable] = {}
        texts, names = [claim.text for claim in claims], list(self.dimensions)
        for number, (name, model, alone) in enumerate(voters):
            request = self._vote(item, source, texts, model, repeat * len(voters) + number, alone)
            found = await self._held(
                ask, model, request, lambda text, why: asked.read_votes(text, why, len(texts), names), calls
            )
            if isinstance(found, Unreadable):
                failures[name] = found
            else:
                votes[name] = found
        if 2 * len(votes) <= len(voters):
            kind = Counter(failure.kind for failure in failures.values()).most_common(1)[0][0]
            said = "; ".join(f"{name}: {failure.problem}" for name, failure in failures.items())
            return self._failed(item, kind, f"{len(failures)} of {len(voters)} judges failed ({said})", calls)
        notes = [f"{name} said nothing of {one.missing} claims: n/a" for name, one in votes.items() if one.missing]
        notes += [f"{name} has no vote ({failure.kind}: {failure.problem})" for name, failure in failures.items()]
        detail = self._detail(claims, _rows(votes, len(claims), names, source), tuple(votes), source)
        detail["failures"] = {name: f"{failure.kind}: {failure.problem}" for name, failure in failures.items()}
        return Finding(item.id, self.group, self.judge, Status.SCORED, detail, calls=tuple(calls), notes=tuple(notes))

    def _vote(self, item: Item, source: Source, claims: Sequence[str], model: str, number: int, alone: bool) -> Request:
        url, names = self.settings.base_url, list(self.dimensions)
        return asked.votes_request(item, source.text, claims, names, model, url, repeat=number, alone=alone)

    async def _held(
        self,
        ask: Ask,
        model: str,
        request: Request,
        read: Callable[[str, str | None], Any],
        calls: list[str],
    ) -> Any:
        """Ask one model; a call that fails is an outcome like an unusable reply."""
        dialogue: Dialogue[Any] = Dialogue(ask, self._call(model), read, asked.repair)
        try:
            return await dialogue.hold(request)
        except CallFailed as failure:
            kinds = {str(kind): kind for kind in FailureKind}
            return Unreadable(kinds.get(str(failure.kind), FailureKind.INTERNAL), str(failure))
        finally:
            calls += dialogue.calls

    def _call(self, model: str) -> Call:
        if model not in self._models:
            self._models[model] = sender(model, self.settings).complete
        return self._models[model]

    def _detail(
        self, claims: Sequence[Statement], rows: Sequence[Mapping[str, Any]], judges: Sequence[str], source: Source
    ) -> dict[str, Any]:
        return {
            "preset": self.settings.preset,
            "dimensions": self.dimensions,
            "judges": list(judges),
            "source": "contexts" if source.starts else "document",
            "claims": [
                {"text": claim.text, "start": claim.start, "end": claim.end, "cells": row}
                for claim, row in zip(claims, rows, strict=True)
            ],
        }

    def _undefined(self, item: Item, reason: str, calls: Sequence[str] = ()) -> Finding:
        return Finding(item.id, self.group, self.judge, Status.UNDEFINED, reason=reason, calls=tuple(calls))

    def _failed(self, item: Item, kind: FailureKind, reason: str, calls: Sequence[str]) -> Finding:
        return Finding(item.id, self.group, self.judge, Status.FAILED, failure=kind, reason=reason, calls=tuple(calls))


def _rows(votes: Mapping[str, asked.Votes], claims: int, dimensions: Sequence[str], source: Source) -> list[Any]:
    """Turn the judges' replies into votes by claim and dimension, with every quote found again in the source."""
    find = lru_cache(maxsize=None)(lambda quote: _evidence(quote, source))
    rows = []
    for claim in range(claims):
        row = {}
        for name in dimensions:
            said = [one.by_claim[claim].get(name) for one in votes.values()]
            if any(vote is not None and vote["label"] != "n/a" for vote in said):
                row[name] = [
                    {"label": "n/a", "found": [], "evidence": [], "reason": "not stated, in this judge's view"}
                    if vote is None
                    else {
                        "label": vote["label"],
                        "found": vote["found"],
                        "evidence": [find(quote) for quote in vote["quotes"]],
                        "reason": vote["reason"],
                    }
                    for vote in said
                ]
        rows.append(row)
    return rows


def _evidence(quote: str, source: Source) -> dict[str, Any]:
    match = locate(quote, source.text)
    if match is None:
        return {"quote": quote, "document_id": source.document_id, "context": None, "start": None, "end": None}
    return {"quote": source.text[match.start : match.end], **source.place(match.start, match.end)}
