"""What the store tells that is no noun of the project by itself, and how points are written as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from lemaj_core.types import DataPoint, Evidence, FailureKind, RunState, Tag


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A stored data set without its texts; ``answers``, ``documents`` and ``problems`` are counts."""

    id: str
    name: str
    created: datetime
    answers: int
    documents: int
    problems: int
    constructed: bool
    format: str
    layout: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is and what it has cost. ``cost`` is None when the price of a call is unknown.

    ``calls`` were really made (failed ones included), ``cached`` were answered from the ledger. ``seconds`` is the
    time between the first and the last call.
    """

    state: RunState
    total: int
    done: int
    scored: int
    failed: int
    failures: Mapping[FailureKind, int] = field(default_factory=dict)
    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    started: datetime | None = None
    last_reply: datetime | None = None
    seconds: float = 0.0


def point_to_json(point: DataPoint) -> dict[str, Any]:
    """Write a data point as plain values."""
    return asdict(point)


def point_from_json(entry: Mapping[str, Any]) -> DataPoint:
    """Read what :func:`point_to_json` wrote."""
    fields = dict(entry)
    fields["tag"] = None if fields["tag"] is None else Tag(fields["tag"])
    fields["evidence"] = tuple(Evidence(**passage) for passage in fields["evidence"])
    return DataPoint(**fields)
