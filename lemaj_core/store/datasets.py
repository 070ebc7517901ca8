"""Data sets in the store: answers, documents, labels and the problems found in their files."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select

from lemaj_core.errors import StoreError
from lemaj_core.store import tables
from lemaj_core.store.connection import now
from lemaj_core.store.dataset_rows import fill, rows
from lemaj_core.store.labels import Labels
from lemaj_core.store.offsets import check_points
from lemaj_core.store.records import DatasetInfo, point_from_json
from lemaj_core.types import Annotation, Dataset, Document, Item, Problem


class Datasets(Labels):
    """Adding and reading data sets."""

    def add_dataset(self, dataset: Dataset) -> str:
        """Store a data set and return its id, which comes from the content: adding it twice changes nothing.

        Raises
        ------
        StoreError
            If two answers share an id, or an answer or a label refers to something that is not in the data set.
        """
        digest = dataset.digest()
        dataset_id = digest[:12]
        _check_references(dataset)
        with self.write() as connection:
            if connection.scalar(select(tables.datasets.c.id).where(tables.datasets.c.id == dataset_id)):
                return dataset_id
            connection.execute(
                insert(tables.datasets).values(
                    id=dataset_id,
                    name=dataset.name,
                    created=now(),
                    digest=digest,
                    format=dataset.format,
                    encoding=dataset.encoding,
                    layout=dataset.layout,
                    constructed=dataset.constructed,
                    mapping=dict(dataset.mapping),
                    answers=len(dataset.items),
                    documents=len(dataset.documents),
                    problems=len(dataset.problems),
                )
            )
            for table, lines in rows(dataset_id, dataset):
                fill(connection, table, lines)
        return dataset_id

    def datasets(self) -> list[DatasetInfo]:
        """Every data set, the newest first."""
        table = tables.datasets
        with self.read() as connection:
            rows = connection.execute(select(table).order_by(table.c.created.desc(), table.c.id)).all()
        return [
            DatasetInfo(
                row.id,
                row.name,
                row.created,
                row.answers,
                row.documents,
                row.problems,
                row.constructed,
                row.format,
                row.layout,
            )
            for row in rows
        ]

    def dataset(self, dataset_id: str) -> Dataset:
        """Load everything of a data set.

        Raises
        ------
        StoreError
            If there is no such data set, or a stored quote and its offsets disagree.
        """
        with self.read() as connection:
            head = connection.execute(select(tables.datasets).where(tables.datasets.c.id == dataset_id)).first()
            if head is None:
                raise StoreError(self._absent(connection, dataset_id))
            items = tuple(_item(row) for row in connection.execute(_items(dataset_id)))
            documents = {row.document_id: _document(row) for row in connection.execute(_documents(dataset_id))}
            annotations = tuple(_annotation(row) for row in connection.execute(_annotations(dataset_id)))
            problems = tuple(
                Problem(row.message, row.severity, row.file, row.row, row.column)
                for row in connection.execute(
                    select(tables.problems)
                    .where(tables.problems.c.dataset_id == dataset_id)
                    .order_by(tables.problems.c.position)
                )
            )
        answers = {item.id: item.answer for item in items} if annotations else {}
        for annotation in annotations:
            where = f"answer {annotation.item_id}, label by {annotation.annotator}"
            check_points(annotation.points, answers[annotation.item_id], documents, where)
        return Dataset(
            head.name,
            items,
            documents,
            annotations,
            problems,
            head.mapping,
            head.format,
            head.encoding,
            head.layout,
            head.constructed,
        )

    def item(self, dataset_id: str, item_id: str) -> Item:
        """Load one answer with its texts."""
        with self.read() as connection:
            row = connection.execute(_items(dataset_id).where(tables.items.c.item_id == item_id)).first()
            if row is None:
                if not self._has(connection, dataset_id):
                    raise StoreError(self._absent(connection, dataset_id))
                raise StoreError(f"data set {dataset_id} has no answer {item_id!r}")
        return _item(row)

    def items(self, dataset_id: str, item_ids: Collection[str]) -> dict[str, Item]:
        """Load some answers with their texts, by id."""
        statement = _items(dataset_id).where(tables.items.c.item_id.in_(list(item_ids)))
        with self.read() as connection:
            return {row.item_id: _item(row) for row in connection.execute(statement)}

    def item_ids(self, dataset_id: str) -> list[str]:
        """Give the ids of a data set's answers, in the order of the file."""
        table = tables.items
        statement = select(table.c.item_id).where(table.c.dataset_id == dataset_id).order_by(table.c.position)
        with self.read() as connection:
            return list(connection.scalars(statement))

    def document(self, dataset_id: str, document_id: str | None) -> Document | None:
        """Load one document with its text; None if the data set has no such document."""
        with self.read() as connection:
            statement = _documents(dataset_id).where(tables.documents.c.document_id == document_id)
            row = connection.execute(statement).first()
        return None if row is None else _document(row)

    def annotations(self, dataset_id: str, item_id: str | None = None) -> list[Annotation]:
        """Load the label sets of a data set or of one answer: those that came with it, then finished ones made here."""
        statement = _annotations(dataset_id)
        if item_id is not None:
            statement = statement.where(tables.annotations.c.item_id == item_id)
        with self.read() as connection:
            uploaded = [_annotation(row) for row in connection.execute(statement)]
        return uploaded + self.finished_labels(dataset_id, item_id)

    def _has(self, connection: Connection, dataset_id: str) -> bool:
        table = tables.datasets
        return connection.scalar(select(table.c.id).where(table.c.id == dataset_id)) is not None

    def _absent(self, connection: Connection, dataset_id: str) -> str:
        known = connection.scalars(select(tables.datasets.c.id).order_by(tables.datasets.c.created.desc())).all()
        return f"there is no data set {dataset_id!r} in {self.where}; it holds {', '.join(known) or 'none'}"


def _check_references(dataset: Dataset) -> None:
    ids = {item.id for item in dataset.items}
    if len(ids) < len(dataset.items):
        twice = Counter(item.id for item in dataset.items).most_common(1)[0][0]
        raise StoreError(f"two answers have the id {twice!r}; ids must differ")
    for item in dataset.items:
        if item.document_id is not None and item.document_id not in dataset.documents:
            raise StoreError(f"answer {item.id} refers to document {item.document_id!r}, which is not in the data set")
    for annotation in dataset.annotations:
        if annotation.item_id not in ids:
            raise StoreError(f"a label by {annotation.annotator} refers to answer {annotation.item_id!r}, "
                             "which is not in the data set")  # fmt: skip


def _items(dataset_id: str) -> Select[Any]:
    light, heavy = tables.items, tables.item_texts
    return (
        select(light, heavy.c.answer, heavy.c.reference, heavy.c.contexts)
        .join(heavy, (heavy.c.dataset_id == light.c.dataset_id) & (heavy.c.position == light.c.position))
        .where(light.c.dataset_id == dataset_id)
        .order_by(light.c.position)
    )


def _documents(dataset_id: str) -> Select[Any]:
    table = tables.documents
    return select(table).where(table.c.dataset_id == dataset_id).order_by(table.c.position)


def _annotations(dataset_id: str) -> Select[Any]:
    table = tables.annotations
    return select(table).where(table.c.dataset_id == dataset_id).order_by(table.c.position)


def _item(row: Row[Any]) -> Item:
    contexts: Sequence[str] = row.contexts or ()
    return Item(
        row.item_id,
        row.question,
        row.answer,
        row.document_id,
        tuple(contexts),
        row.reference,
        row.model,
        row.minutes,
        row.human_correctness,
        row.human_relevance,
        row.extra or {},
        row.row,
    )


def _document(row: Row[Any]) -> Document:
    return Document(row.document_id, row.name, row.text, row.type)


def _annotation(row: Row[Any]) -> Annotation:
    return Annotation(
        row.item_id,
        row.annotator,
        tuple(point_from_json(point) for point in row.points),
        row.correctness,
        row.relevance,
        row.note,
        row.extra or {},
    )
