r"""The nouns of the project: what a document, an answer, a Legal Data Point, a score and a run are.

Plain frozen records without behaviour beyond what their own fields say. This room imports nothing of ours, reads no
file and asks no model. Offsets are Unicode code points into text that was normalised once on entry (NFC, ``\n``).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import Any


class Tag(StrEnum):
    """What LeMAJ says of one Legal Data Point."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    IRRELEVANT = "irrelevant"
    MISSING = "missing"


class Status(StrEnum):
    """Whether a score exists. Undefined (0/0, nothing to judge) and failed (no usable verdict) are never 0."""

    SCORED = "scored"
    UNDEFINED = "undefined"
    FAILED = "failed"


class FailureKind(StrEnum):
    """Why an answer could not be judged."""

    MALFORMED = "malformed reply"
    EMPTY = "empty reply"
    TRUNCATED = "truncated reply"
    REFUSED = "refused"
    CONTEXT = "too long for the model"
    TIMEOUT = "timeout"
    RATE_LIMIT = "rate limit"
    QUOTA = "quota used up"
    AUTH = "key missing or refused"
    NETWORK = "network or server error"
    INTERNAL = "internal error"


class Strictness(StrEnum):
    """How readily a judge calls a true point irrelevant."""

    LENIENT = "lenient"
    STANDARD = "standard"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Document:
    """A contract or other text that answers are checked against."""

    id: str
    name: str
    text: str
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One answer to one question: a row of the user's file."""

    id: str
    question: str
    answer: str
    document_id: str | None = None
    contexts: tuple[str, ...] = ()
    reference: str | None = None
    model: str | None = None
    minutes: float | None = None
    human_correctness: float | None = None
    human_relevance: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that a judge points at. ``start`` is None when the quote was not found in the document."""

    quote: str
    document_id: str | None = None
    start: int | None = None
    end: int | None = None
    similarity: float | None = None

    @property
    def found(self) -> bool:
        """Whether the quote stands in the document."""
        return self.start is not None


@dataclass(frozen=True, slots=True)
class DataPoint:
    """A Legal Data Point (LDP): one self-contained assertion and its tag.

    ``tag`` is None when nothing could be said (no document to check against): such points count in no score.
    ``start``/``end`` locate the point in the answer; None for a missing point, and for a point that the judge
    claims to read but that is not in the answer. ``quote`` is ``answer[start:end]``, kept to be checked on load.
    """

    id: str
    text: str
    tag: Tag | None
    reason: str = ""
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    evidence: tuple[Evidence, ...] = ()
    confidence: float | None = None

    @property
    def in_answer(self) -> bool:
        """Whether the point was located in the answer."""
        return self.start is not None


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one human annotator (or an uploaded label set) says of one answer."""

    item_id: str
    annotator: str
    points: tuple[DataPoint, ...] = ()
    correctness: float | None = None
    relevance: float | None = None
    note: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a file that its owner should know; ``error`` rows were left out, ``warning`` rows were kept."""

    message: str
    severity: str = "warning"
    file: str | None = None
    row: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Answers with the documents and labels that came with them."""

    name: str
    items: tuple[Item, ...]
    documents: Mapping[str, Document] = field(default_factory=dict)
    annotations: tuple[Annotation, ...] = ()
    problems: tuple[Problem, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    format: str = ""
    encoding: str | None = None
    layout: str | None = None
    constructed: bool = False

    def digest(self) -> str:
        """SHA-256 of the content (items, documents, annotations), independent of the name of the file."""
        body = [self.items, list(self.documents.values()), self.annotations]
        return hashlib.sha256(json.dumps(body, sort_keys=True, default=_as_json).encode()).hexdigest()


def _as_json(value: Any) -> Any:
    """Turn a record into its fields, without the copies that ``asdict`` makes of every text."""
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return dict(value) if isinstance(value, Mapping) else str(value)


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its status; ``value`` is None unless scored. Numerator and denominator allow exact comparison."""

    value: float | None
    status: Status = Status.SCORED
    reason: str | None = None
    numerator: float | None = None
    denominator: float | None = None

    @classmethod
    def undefined(cls, reason: str, numerator: float | None = None, denominator: float | None = None) -> "Score":
        """Build a score that does not exist, for example 0/0."""
        return cls(None, Status.UNDEFINED, reason, numerator, denominator)

    @classmethod
    def failed(cls, reason: str) -> "Score":
        """Build a score that could not be obtained because judging failed."""
        return cls(None, Status.FAILED, reason)
