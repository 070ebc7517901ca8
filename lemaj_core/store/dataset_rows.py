"""A data set as rows: which table takes which part of it. It writes nothing by itself."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, insert

from lemaj_core.store import tables
from lemaj_core.store.connection import plain
from lemaj_core.store.records import point_to_json
from lemaj_core.types import Dataset, Tag

CHUNK = 5000  # rows per statement: memory stays flat and the driver stays busy


def rows(dataset_id: str, dataset: Dataset) -> Iterator[tuple[Table, Iterator[dict[str, Any]]]]:
    """Pair each table with its rows, made while they are written."""
    yield (
        tables.documents,
        (
            {
                "dataset_id": dataset_id,
                "document_id": key,
                "position": position,
                "name": document.name,
                "type": document.type,
                "text": document.text,
            }
            for position, (key, document) in enumerate(dataset.documents.items())
        ),
    )
    yield (
        tables.items,
        (
            {
                "dataset_id": dataset_id,
                "position": position,
                "item_id": item.id,
                "question": item.question,
                "model": item.model,
                "document_id": item.document_id,
                "row": item.row,
                "minutes": item.minutes,
                "human_correctness": item.human_correctness,
                "human_relevance": item.human_relevance,
                "extra": plain(item.extra) or None,
            }
            for position, item in enumerate(dataset.items)
        ),
    )
    yield (
        tables.item_texts,
        (
            {
                "dataset_id": dataset_id,
                "position": position,
                "answer": item.answer,
                "reference": item.reference,
                "contexts": list(item.contexts) or None,
            }
            for position, item in enumerate(dataset.items)
        ),
    )
    yield (
        tables.annotations,
        (
            {
                "dataset_id": dataset_id,
                "position": position,
                "item_id": annotation.item_id,
                "annotator": annotation.annotator,
                "correctness": annotation.correctness,
                "relevance": annotation.relevance,
                **{str(tag): sum(point.tag is tag for point in annotation.points) for tag in Tag},
                "note": annotation.note,
                "extra": plain(annotation.extra) or None,
                "points": [point_to_json(point) for point in annotation.points],
            }
            for position, annotation in enumerate(dataset.annotations)
        ),
    )
    yield (
        tables.problems,
        (
            {
                "dataset_id": dataset_id,
                "position": position,
                "severity": problem.severity,
                "message": problem.message,
                "file": problem.file,
                "row": problem.row,
                "column": problem.column,
            }
            for position, problem in enumerate(dataset.problems)
        ),
    )


def fill(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows in large portions."""
    source = iter(rows)
    while chunk := list(islice(source, CHUNK)):
        connection.execute(insert(table), chunk)
