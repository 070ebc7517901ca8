"""Answers and data points as tables, for pages, exports and statistics.

No answer, contract or raw reply is read here, except the words of the data points that are asked for. The rows are
laid out and pivoted in numpy, because a frame of 20,000 answers has to be there before a page can draw anything.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import Text, cast, select

from lemaj_core.metrics.table import in_group
from lemaj_core.store import tables
from lemaj_core.store.labels import finished_columns
from lemaj_core.store.layout import COUNTS, Spread, as_numbers, as_words, expert, extras, pivot
from lemaj_core.store.runs import Runs

WAITING = "waiting"
FEW = 500  # answers that a question to the database names one by one
POINT_COLUMNS = (
    "item_id",
    "judge",
    "point_id",
    "position",
    "text",
    "tag",
    "reason",
    "start",
    "end",
    "confidence",
    "evidence_quote",
    "evidence_start",
    "evidence_end",
)


class Frames(Runs):
    """Tables for reading."""

    def answers(self, run_id: str, judge: str | None = None) -> pd.DataFrame:
        """One row per answer and judge, in the order of the file, the unjudged ones too ("waiting").

        Parameters
        ----------
        run_id : str
            A run.
        judge : str, optional
            Only this judge; otherwise all judges of the run, in the order of its settings.

        Returns
        -------
        pandas.DataFrame
            item_id, position, row, judge, question, model, document_id, document (name), document_type, status
            ("scored", "failed", "waiting"), failure, reason, the five counts of tags, minutes, human_correctness,
            human_relevance; then for each metric KEY, KEY_status, KEY_reason, KEY_numerator, KEY_denominator; then
            the columns of the user's file, with ``x_`` before a name that is taken. Numbers that do not exist are
            NaN, words that do not exist are missing; the counts of an answer that is not scored are 0.
        """
        with self.read() as connection:
            run = self._run_row(connection, run_id)
            judges = [judge] if judge is not None else list(run.settings["judges"])
            items = _columns(connection, _light_items(run.dataset_id))
            documents = _names_of_documents(connection, run.dataset_id)
            uploaded = _columns(connection, _labels(run.dataset_id))
            made = _columns(connection, finished_columns(run.dataset_id))
            labels = {name: (*values, *made[name]) for name, values in uploaded.items()}
            judged = _columns(connection, _judged(run_id, judge))
            scores = _columns(connection, _scores(run_id, judge))
        size, width = len(items["item_id"]), len(judges)
        place = {item_id: position for position, item_id in enumerate(items["item_id"])}
        lane = {name: number for number, name in enumerate(judges)}
        spots = np.fromiter(
            (
                place[item_id] * width + lane[name] if item_id in place and name in lane else -1
                for item_id, name in zip(judged["item_id"], judged["judge"], strict=True)
            ),
            dtype=np.int64,
            count=len(judged["item_id"]),
        )
        spread = Spread(spots, size * width)
        columns: dict[str, Any] = {
            name: np.repeat(as_words(items[name]), width) for name in ("item_id", "question", "model", "document_id")
        }
        described = [documents.get(document_id, (None, None)) for document_id in items["document_id"]]
        for number, name in enumerate(("document", "document_type")):
            columns[name] = np.repeat(as_words([parts[number] for parts in described]), width)
        columns["position"] = np.repeat(np.arange(size), width)
        columns["row"] = np.repeat(as_numbers(items["row"]), width)
        columns["judge"] = np.tile(np.array(judges, dtype=object), size)
        columns["status"] = spread.words(judged["status"], WAITING)
        columns["failure"] = spread.words(judged["failure"])
        columns["reason"] = spread.words(judged["reason"])
        for name in COUNTS:
            columns[name] = spread.counts(judged[name])
        columns["minutes"] = np.repeat(as_numbers(items["minutes"]), width)
        for name, values in expert(items, labels, place, run.settings.get("beta", 1.0)).items():
            columns[name] = np.repeat(values, width)
        ordered = {name: columns[name] for name in ANSWER_COLUMNS}
        keys = [metric.key for group in run.settings["metrics"] for metric in in_group(group)]
        ordered |= pivot(scores, judged["id"], spread, keys)
        ordered |= extras(items["extra"], width, ordered)
        return pd.DataFrame(ordered)

    def points(self, run_id: str, judge: str | None = None, item_ids: Collection[str] | None = None) -> pd.DataFrame:
        """One row per data point with its first passage of evidence, in the order of the file.

        All of a run, or those of one judge or of some answers. Offsets that do not exist are NaN.
        """
        table, points, evidence, items = tables.judgements, tables.points, tables.evidence, tables.items
        first = (evidence.c.judgement_id == points.c.judgement_id) & (evidence.c.point_position == points.c.position)
        statement = (
            select(
                table.c.item_id,
                table.c.judge,
                points.c.point_id,
                points.c.position,
                points.c.text,
                points.c.tag,
                points.c.reason,
                points.c.start,
                points.c.end,
                points.c.confidence,
                evidence.c.quote.label("evidence_quote"),
                evidence.c.start.label("evidence_start"),
                evidence.c.end.label("evidence_end"),
            )
            .join(points, points.c.judgement_id == table.c.id)
            .outerjoin(evidence, first & (evidence.c.position == 0))
            .where(table.c.run_id == run_id)
            .order_by(items.c.position, table.c.judge, points.c.position)
        )
        if judge is not None:
            statement = statement.where(table.c.judge == judge)
        few = item_ids is not None and len(item_ids) <= FEW
        if few:
            statement = statement.where(table.c.item_id.in_(list(item_ids or ())))
        with self.read() as connection:
            run = self._run_row(connection, run_id)
            same = (items.c.dataset_id == run.dataset_id) & (items.c.item_id == table.c.item_id)
            found = _columns(connection, statement.join(items, same))
        columns = {name: as_words(found[name]) for name in POINT_COLUMNS}
        for name in ("start", "end", "confidence", "evidence_start", "evidence_end"):
            columns[name] = as_numbers(found[name])
        columns["position"] = np.array(found["position"], dtype=np.int64)
        frame = pd.DataFrame(columns)
        if item_ids is None or few:
            return frame
        return frame[frame["item_id"].isin(set(item_ids))].reset_index(drop=True)


ANSWER_COLUMNS = (
    "item_id",
    "position",
    "row",
    "judge",
    "question",
    "model",
    "document_id",
    "document",
    "document_type",
    "status",
    "failure",
    "reason",
    *COUNTS,
    "minutes",
    "human_correctness",
    "human_relevance",
)


def _columns(connection: Any, statement: Any) -> dict[str, Sequence[Any]]:
    """Read a query as columns, as the driver gives them: numbers and text need no conversion, and rows are many."""
    result = connection.execute(statement)
    names = list(result.keys())
    rows = result.cursor.fetchall()
    result.close()
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {name: () for name in names}


def _light_items(dataset_id: str) -> Any:
    table = tables.items
    columns = [cast(column, Text).label("extra") if column.name == "extra" else column for column in table.c]
    return select(*columns).where(table.c.dataset_id == dataset_id).order_by(table.c.position)


def _names_of_documents(connection: Any, dataset_id: str) -> dict[str | None, tuple[str, str | None]]:
    table = tables.documents
    statement = select(table.c.document_id, table.c.name, table.c.type).where(table.c.dataset_id == dataset_id)
    return {row.document_id: (row.name, row.type) for row in connection.execute(statement)}


def _labels(dataset_id: str) -> Any:
    table = tables.annotations
    return (
        select(
            table.c.item_id,
            table.c.correctness,
            table.c.relevance,
            table.c.correct,
            table.c.incorrect,
            table.c.irrelevant,
            table.c.missing,
        )
        .where(table.c.dataset_id == dataset_id)
        .order_by(table.c.position)
    )


def _judged(run_id: str, judge: str | None) -> Any:
    table = tables.judgements
    statement = select(
        table.c.id,
        table.c.item_id,
        table.c.judge,
        table.c.status,
        table.c.failure,
        table.c.reason,
        table.c.correct,
        table.c.incorrect,
        table.c.irrelevant,
        table.c.missing,
        table.c.untagged,
    ).where(table.c.run_id == run_id)
    if judge is not None:
        statement = statement.where(table.c.judge == judge)
    return statement.order_by(table.c.id)


def _scores(run_id: str, judge: str | None) -> Any:
    table, judged = tables.scores, tables.judgements
    owners = select(judged.c.id).where(judged.c.run_id == run_id)
    if judge is not None:
        owners = owners.where(judged.c.judge == judge)
    return select(table).where(table.c.judgement_id.in_(owners))
