"""LeMAJ's judge: one prompt splits an answer into Legal Data Points, tags each, and adds the missing ones.

Builds the request, has it asked, reads the reply and finds every quote again in the answer and in the document. It
knows no model library, keeps nothing between answers, and turns every way in which a model can fail into a failed
judgement with its kind; it never guesses a tag.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from lemaj_core.errors import CallFailed, SettingsError
from lemaj_core.judge import Ask, prompt
from lemaj_core.judge.addressed import addressed
from lemaj_core.judge.dialogue import Dialogue
from lemaj_core.judge.parse import Readable, Unreadable, parse
from lemaj_core.judge.place import place
from lemaj_core.models.family import family
from lemaj_core.text.wording import Wording
from lemaj_core.types import (
    Document,
    FailureKind,
    Item,
    Judgement,
    Reply,
    Request,
    RunSettings,
    Status,
    Tag,
    juror,
)

SCHEMA: dict[str, Any] = {
    "name": "data_points",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["data_points"],
        "properties": {
            "data_points": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["id", "quote", "text", "evidence", "reason", "tag"],
                    "properties": {
                        "id": {"type": "string"},
                        "quote": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                        "text": {"type": "string"},
                        "evidence": {"type": "array", "items": {"type": "string"}},
                        "reason": {"type": "string"},
                        "tag": {"type": "string", "enum": [str(tag) for tag in Tag]},
                    },
                },
            }
        },
    },
}

_LEAST_ROOM, _MOST_ROOM = 4096, 16384
REPEATS = 1000  # between two jurors of one model; the retries of a failed answer lie between


class Model(Protocol):
    """Whatever answers a request; raises :class:`~lemaj_core.errors.CallFailed` when it cannot."""

    async def complete(self, request: Request) -> Reply:
        """Send the request and return the raw reply."""
        ...


def schema_version(words: Wording | None = None) -> str:
    """Name of the form in which replies are asked for: a version of the schema and the hash of the prompt."""
    return f"data_points/1+{prompt.version(words)}"


def expected_tokens(item: Item) -> int:
    """Tokens a reply is likely to have: each assertion comes back as quote, text, evidence and reason."""
    return 400 + 5 * len(item.answer) // 4


def build_request(
    item: Item,
    document: Document | None,
    settings: RunSettings,
    repeat: int = 0,
    *,
    model: str | None = None,
    words: Wording | None = None,
) -> Request:
    """Build the first request for one answer. Pure, so that a plan can count it and a cache can find it.

    Parameters
    ----------
    item : Item
        Question, answer, and the contexts and reference answer if there are any.
    document : Document or None
        What the answer is checked against.
    settings : RunSettings
        Strictness, use of the reference, base URL; nothing else of it reaches the request.
    repeat : int
        Earlier failed tries; a new number asks anew.
    model : str or None
        Name of the judge; by default the first one of the settings that is a model. A second juror of the same model
        ("MODEL#2") asks the same words with another repeat and seed.
    words : Wording or None
        What is asked with; by default the product's own prompt.

    Raises
    ------
    SettingsError
        If no model is named.
    """
    name = model or next((judge for judge in settings.judges if judge != "offline"), None)
    if name is None:
        raise SettingsError("the offline judge sends no request; name a model")
    asked = juror(name)
    repeat += REPEATS * (asked.number - 1)
    room = -(-2 * expected_tokens(item) // 1024) * 1024
    return Request(
        model=asked.model,
        messages=prompt.messages(item, document, settings, words),
        parameters={"temperature": 0, "seed": repeat, "max_tokens": min(max(room, _LEAST_ROOM), _MOST_ROOM)},
        base_url=settings.base_url,
        schema=SCHEMA,
        schema_version=schema_version(words),
        repeat=repeat,
    )


class DataPointJudge:
    """A model as judge of Legal Data Points.

    Parameters
    ----------
    name : str
        Name of the model, under which the judgements are stored.
    settings : RunSettings
        Strictness, use of reference answers, base URL.
    model : Model
        What sends the requests.
    words : Wording, optional
        The prompt; by default the product's own.
    """

    approximate = False

    def __init__(self, name: str, settings: RunSettings, *, model: Model, words: Wording | None = None):
        self.name = name
        self.settings = settings
        self.model = model
        self.words = words
        self.version = f"{schema_version(words)}/{settings.strictness}"

    def build_request(self, item: Item, document: Document | None, repeat: int = 0) -> Request:
        """Build the first request for one answer; see :func:`build_request`."""
        return build_request(item, document, self.settings, repeat, model=self.name, words=self.words)

    async def judge(self, item: Item, document: Document | None, ask: Ask, *, repeat: int = 0) -> Judgement:
        """Judge one answer.

        At most three calls: the prompt; once more with twice the room if the reply was cut off; one repair that says
        what was wrong. Every call goes through ``ask``, and its key is kept in the judgement.
        """
        conversation = Dialogue[Readable](
            ask, self.model.complete, parse, lambda problem: prompt.repair(problem, self.words)
        )
        notes = _warnings(item, document, self)
        try:
            outcome = await conversation.hold(self.build_request(item, document, repeat))
        except CallFailed as failure:
            return self._failed(item, _kind(failure), str(failure), conversation.calls, notes)
        if isinstance(outcome, Unreadable):
            return self._failed(item, outcome.kind, outcome.problem, conversation.calls, notes)
        if outcome.repaired:
            notes.append("the reply was broken JSON and was mended without loss")
        points, remarks = place(outcome.points, item, document, self.settings)
        return Judgement(
            item.id, self.name, Status.SCORED, points, calls=tuple(conversation.calls), notes=(*notes, *remarks)
        )

    def _failed(
        self, item: Item, kind: FailureKind, reason: str, calls: Sequence[str], notes: Sequence[str]
    ) -> Judgement:
        return Judgement(
            item.id, self.name, Status.FAILED, failure=kind, reason=reason, calls=tuple(calls), notes=tuple(notes)
        )


def _kind(failure: CallFailed) -> FailureKind:
    try:
        return FailureKind(failure.kind)
    except ValueError:
        return FailureKind.INTERNAL


def _warnings(item: Item, document: Document | None, judge: DataPointJudge) -> list[str]:
    """What a reader of this judgement should know before trusting it."""
    texts = {
        "document": prompt.source(item, document),
        "question": item.question,
        "reference answer": prompt.reference(item, judge.settings),
        "answer": item.answer,
    }
    notes = [
        f"the text addresses the judge ({name}: {passage})"
        for name, text in texts.items()
        if text and (passage := addressed(text))
    ]
    kin = family(judge.name)
    if kin is not None and item.model and family(item.model) == kin:
        notes.append(f"judge and answer model are of one family ({kin}): such judges tend to favour their own")
    return notes
