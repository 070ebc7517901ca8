"""The nouns of a run: what is asked of a model, what a judge says, and how a data set is evaluated.

Plain frozen records like those of answers.py.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from lemaj_core.types.answers import DataPoint, FailureKind, Status, Strictness


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model, complete: two equal requests have the same key and are asked once."""

    model: str
    messages: tuple[Mapping[str, str], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    schema: Mapping[str, Any] | None = None
    schema_version: str = ""
    repeat: int = 0

    def key(self) -> str:
        """``sha256:`` and the digest over every field: changing any one of them asks anew."""
        # not asdict: it copies the schema and the messages deeply, several times for every answer
        body = json.dumps({one.name: getattr(self, one.name) for one in fields(self)}, sort_keys=True)
        return "sha256:" + hashlib.sha256(body.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model sent back, raw. ``cost`` is None when the price is unknown."""

    text: str
    finish_reason: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    cost: float | None = None
    seconds: float | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge says of one answer: its data points, or why there are none."""

    item_id: str
    judge: str
    status: Status
    points: tuple[DataPoint, ...] = ()
    failure: FailureKind | None = None
    reason: str | None = None
    calls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out about one answer for one group of metrics, beside its data points.

    ``by`` names who found it: a judge, a proxy model, a counting library. ``detail`` is JSON and holds all that the
    scores are computed from and the pages show (votes, claims, effects, questions), so that scores can be computed
    anew without asking again.
    """

    item_id: str
    group: str
    by: str
    status: Status
    detail: Mapping[str, Any] = field(default_factory=dict)
    failure: FailureKind | None = None
    reason: str | None = None
    calls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Everything that decides the outcome of a run. Keys are not part of it and are never stored.

    ``timeout`` is the deadline of one call in seconds, ``deadline`` that of the run in minutes, counted from each start
    of its worker; what is judged by then is kept and the run can be resumed. ``preset`` and ``dimensions`` say what
    specificity asks of a claim and what masking hides: a preset, or "own" with the user's dimensions and weights.
    ``votes`` is the number of judges per claim (k); ``vote_models`` names k models instead of k calls to one.
    ``proxies`` name the language models of context utilization, the first gives the scores. The two columns hold new
    answers to a paraphrased and to a perturbed question.
    """

    judges: tuple[str, ...] = ("offline",)
    metrics: tuple[str, ...] = ("data_points",)
    strictness: Strictness = Strictness.STANDARD
    beta: float = 1.0
    use_reference: bool = True
    base_url: str | None = None
    concurrency: int = 4
    max_cost: float | None = None
    timeout: float = 120.0
    deadline: float | None = None
    preset: str = "legal"
    dimensions: Mapping[str, float] = field(default_factory=dict)
    votes: int = 3
    vote_models: tuple[str, ...] = ()
    all_na: str = "undefined"
    proxies: tuple[str, ...] = ("packaged",)
    cu_mode: str = "exact"
    paraphrase_column: str | None = None
    perturbation_column: str | None = None


class RunState(StrEnum):
    """Derived from stored rows and a heartbeat, never stored itself."""

    WAITING = "waiting"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    CAPPED = "stopped at the spend cap"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation of one data set, with how far it got."""

    id: str
    name: str
    dataset_id: str
    dataset_name: str
    settings: RunSettings
    created: datetime
    state: RunState
    total: int
    done: int
    failed: int
    constructed: bool = False
    beat: datetime | None = None
    finished: datetime | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
