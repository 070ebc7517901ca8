"""Expert labels made here or imported: one row per answer and annotator, changed in small steps that lose nothing.

A change is a function from the stored label to the new one, applied inside one transaction that holds the row, so that
two windows of one annotator, or twenty annotators, never overwrite each other. Only finished labels count anywhere:
half a label would be a wrong score. Nothing here knows what an annotator sees.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Row,
    Table,
    select,
    update,
)

from lemaj_core.errors import StoreError
from lemaj_core.store import tables
from lemaj_core.store.columns import Moment, Words
from lemaj_core.store.connection import StoreConnection, now, plain
from lemaj_core.store.records import point_from_json, point_to_json
from lemaj_core.types import Annotation, DataPoint, Tag

MODES = ("scratch", "segmented", "tagged", "second")
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)

table = Table(
    "expert_labels",
    tables.metadata,
    Column("dataset_id", Words, ForeignKey("datasets.id", ondelete="CASCADE"), nullable=False),
    Column("item_id", Words, nullable=False),
    Column("annotator", Words, nullable=False),
    Column("mode", Words, nullable=False),
    # whose cut the annotator started from; no foreign key, because labels outlive runs
    Column("run_id", Words),
    Column("judge", Words),
    Column("points", JSON, nullable=False),
    Column("committed", JSON(none_as_null=True)),
    Column("correctness", Double),
    Column("relevance", Double),
    *(Column(str(tag), Integer, nullable=False) for tag in Tag),
    Column("note", Words, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("started", Moment, nullable=False),
    Column("saved", Moment, nullable=False),
    Column("finished", Moment),
    PrimaryKeyConstraint("dataset_id", "item_id", "annotator"),
    Index("expert_labels_annotator", "dataset_id", "annotator"),
)


@dataclass(frozen=True, slots=True)
class Label:
    """What one annotator said so far of one answer.

    ``mode`` is one of MODES; ``run_id`` and ``judge`` name whose data points were laid before the annotator.
    ``committed`` are the points as they stood before a second reader saw the judge's tags; None until then.
    """

    item_id: str
    annotator: str
    mode: str
    points: tuple[DataPoint, ...] = ()
    correctness: float | None = None
    relevance: float | None = None
    note: str = ""
    seconds: float = 0.0
    run_id: str | None = None
    judge: str | None = None
    committed: tuple[DataPoint, ...] | None = None
    started: datetime | None = None
    saved: datetime | None = None
    finished: datetime | None = None

    def annotation(self) -> Annotation:
        """Give it as a label set like those that come with a file."""
        extra = {"mode": self.mode, "seconds": self.seconds}
        return Annotation(self.item_id, self.annotator, self.points, self.correctness, self.relevance, self.note, extra)


Change = Callable[[Label], Label]


class Labels(StoreConnection):
    """Starting, changing and reading expert labels."""

    def change_label(self, dataset_id: str, start: Label, change: Change, seconds: float = 0.0) -> Label:
        """Apply one change to a label and save it at once.

        Parameters
        ----------
        dataset_id : str
        start : Label
            Names answer and annotator; it is what the change is applied to if nothing is stored yet.
        change : callable
            From the stored label to the new one; it may be called with a state that another window saved.
        seconds : float
            Time spent since the last change, added to the stored time.

        Returns
        -------
        Label
            As it is stored now.

        Raises
        ------
        StoreError
            If the data set has no such answer, the mode is none of MODES, or a scale is none of its levels.
        """
        moment = now()
        with self.write() as connection:
            known = select(tables.items.c.item_id).where(
                tables.items.c.dataset_id == dataset_id, tables.items.c.item_id == start.item_id
            )
            if connection.scalar(known) is None:
                raise StoreError(f"data set {dataset_id} has no answer {start.item_id!r}")
            first = replace(start, started=start.started or moment, saved=start.saved or moment)
            connection.execute(self.insert_new(table), _row(dataset_id, first))
            stored = _label(connection.execute(select(table).where(_key(dataset_id, start)).with_for_update()).one())
            changed = replace(
                change(stored),
                item_id=stored.item_id,
                annotator=stored.annotator,
                started=stored.started,
                seconds=stored.seconds + max(0.0, seconds),
                saved=moment,
            )
            connection.execute(update(table).where(_key(dataset_id, start)).values(_row(dataset_id, changed)))
            if stored.finished or changed.finished:
                _revise_runs(connection, dataset_id)
        return changed

    def add_labels(self, dataset_id: str, labels: Iterable[Label], *, overwrite: bool = False) -> int:
        """Store labels from a file as they are, all or none, and return how many were new or different.

        Raises
        ------
        StoreError
            If an annotator's label of an answer is there already and differs, unless ``overwrite``.
        """
        count = 0
        with self.write() as connection:
            items = set(
                connection.scalars(select(tables.items.c.item_id).where(tables.items.c.dataset_id == dataset_id))
            )
            for label in labels:
                if label.item_id not in items:
                    raise StoreError(f"data set {dataset_id} has no answer {label.item_id!r}")
                row = _row(dataset_id, label)
                there = connection.execute(select(table).where(_key(dataset_id, label)).with_for_update()).one_or_none()
                if there is None:
                    connection.execute(table.insert(), row)
                elif _row(dataset_id, _label(there)) == row:
                    continue
                elif overwrite:
                    connection.execute(update(table).where(_key(dataset_id, label)).values(row))
                else:
                    raise StoreError(
                        f"{label.annotator} has another label of answer {label.item_id!r} here; nothing was imported. "
                        "Overwrite it on purpose, or import under another name"
                    )
                count += 1
            if count:
                _revise_runs(connection, dataset_id)
        return count

    def label(self, dataset_id: str, item_id: str, annotator: str) -> Label | None:
        """Load what an annotator said so far of one answer; None if nothing."""
        found = self.labels(dataset_id, annotator, item_id)
        return found[0] if found else None

    def labels(self, dataset_id: str, annotator: str | None = None, item_id: str | None = None) -> list[Label]:
        """Load labels, finished and not, in the order of the answers."""
        statement = _ordered(dataset_id)
        if annotator is not None:
            statement = statement.where(table.c.annotator == annotator)
        if item_id is not None:
            statement = statement.where(table.c.item_id == item_id)
        with self.read() as connection:
            return [_label(row) for row in connection.execute(statement)]

    def labelled(self, dataset_id: str, annotator: str) -> dict[str, bool]:
        """Give the answers that an annotator began, each with whether it is finished."""
        statement = select(table.c.item_id, table.c.finished).where(
            table.c.dataset_id == dataset_id, table.c.annotator == annotator
        )
        with self.read() as connection:
            return {row.item_id: row.finished is not None for row in connection.execute(statement)}

    def finished_labels(self, dataset_id: str, item_id: str | None = None) -> list[Annotation]:
        """Load finished labels as label sets."""
        return [label.annotation() for label in self.labels(dataset_id, item_id=item_id) if label.finished]


def finished_columns(dataset_id: str) -> Any:
    """Query of the finished labels' scores and counts, in the columns in which uploaded labels are read."""
    names = ("item_id", "correctness", "relevance", *map(str, Tag))
    statement = select(*(table.c[name] for name in names))
    return (
        statement.join(
            tables.items,
            (tables.items.c.dataset_id == table.c.dataset_id) & (tables.items.c.item_id == table.c.item_id),
        )
        .where(table.c.dataset_id == dataset_id, table.c.finished.is_not(None))
        .order_by(tables.items.c.position, table.c.annotator)
    )


def _ordered(dataset_id: str) -> Any:
    items = tables.items
    return (
        select(table)
        .join(items, (items.c.dataset_id == table.c.dataset_id) & (items.c.item_id == table.c.item_id))
        .where(table.c.dataset_id == dataset_id)
        .order_by(items.c.position, table.c.annotator)
    )


def _key(dataset_id: str, label: Label) -> Any:
    return (
        (table.c.dataset_id == dataset_id) & (table.c.item_id == label.item_id) & (table.c.annotator == label.annotator)
    )


def _revise_runs(connection: Connection, dataset_id: str) -> None:
    """Let the readers of every run of these answers see that the experts' scores changed."""
    runs = tables.runs
    connection.execute(update(runs).where(runs.c.dataset_id == dataset_id).values(revision=runs.c.revision + 1))


def _row(dataset_id: str, label: Label) -> dict[str, Any]:
    if label.mode not in MODES:
        raise StoreError(f"{label.mode!r} is no mode of annotation; expected one of {', '.join(MODES)}")
    for name in ("correctness", "relevance"):
        if getattr(label, name) is not None and getattr(label, name) not in LEVELS:
            raise StoreError(f"{name} {getattr(label, name)!r} is none of {', '.join(f'{x:g}' for x in LEVELS)}")
    if not label.annotator.strip():
        raise StoreError("a label needs the id of its annotator")
    tags = Counter(point.tag for point in label.points)
    committed = label.committed
    return {
        "dataset_id": dataset_id,
        "item_id": label.item_id,
        "annotator": label.annotator,
        "mode": label.mode,
        "run_id": label.run_id,
        "judge": label.judge,
        "points": [plain(point_to_json(point)) for point in label.points],
        "committed": None if committed is None else [plain(point_to_json(point)) for point in committed],
        "correctness": label.correctness,
        "relevance": label.relevance,
        **{str(tag): tags[tag] for tag in Tag},
        "note": label.note,
        "seconds": label.seconds,
        "started": label.started or now(),
        "saved": label.saved or now(),
        "finished": label.finished,
    }


def _label(row: Row[Any]) -> Label:
    return Label(
        row.item_id,
        row.annotator,
        row.mode,
        tuple(point_from_json(point) for point in row.points),
        row.correctness,
        row.relevance,
        row.note,
        row.seconds,
        row.run_id,
        row.judge,
        None if row.committed is None else tuple(point_from_json(point) for point in row.committed),
        row.started,
        row.saved,
        row.finished,
    )
