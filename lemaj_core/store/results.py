"""Judgements in the store: an answer's data points, findings and scores go in together, once, and come out by answer.

Lists of answers are read in frames.py, without any text.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Select, bindparam, delete, insert, select, update

from lemaj_core.errors import StoreError
from lemaj_core.store import tables
from lemaj_core.store.connection import StoreConnection, now, plain
from lemaj_core.store.counts import partly_failed
from lemaj_core.types import DataPoint, Evidence, FailureKind, Finding, Judgement, Score, Status, Tag

PORTION = 200  # findings in memory at once, where they are read one by one

# Statements of every answer, built once: building costs more than running them.
_INSERT_POINT, _INSERT_EVIDENCE, _INSERT_SCORE, _INSERT_FINDING = (
    insert(table) for table in (tables.points, tables.evidence, tables.scores, tables.findings)
)
_REVISE = update(tables.runs).where(tables.runs.c.id == bindparam("run")).values(revision=tables.runs.c.revision + 1)


class Results(StoreConnection):
    """Saving, reading and forgetting judgements."""

    @cached_property
    def _insert_judgement(self) -> Any:
        return self.insert_new(tables.judgements).returning(tables.judgements.c.id)

    def save_judgement(
        self, run_id: str, judgement: Judgement, scores: Mapping[str, Score], findings: Sequence[Finding] = ()
    ) -> bool:
        """Store a judgement, its points, what else was found out and all scores in one transaction.

        Returns
        -------
        bool
            False if this answer was judged by this judge already; then nothing is changed.
        """
        tags = Counter(point.tag for point in judgement.points)
        with self.write() as connection:
            judgement_id = connection.scalar(
                self._insert_judgement,
                {
                    "run_id": run_id,
                    "item_id": judgement.item_id,
                    "judge": judgement.judge,
                    "status": judgement.status,
                    "failure": judgement.failure,
                    "reason": judgement.reason,
                    **{str(tag): tags[tag] for tag in Tag},
                    "untagged": tags[None],
                    "created": now(),
                    "calls": list(judgement.calls),
                    "notes": list(judgement.notes),
                },
            )
            if judgement_id is None:
                return False
            points, passages = _point_rows(judgement_id, judgement.points)
            if points:
                connection.execute(_INSERT_POINT, points)
            if passages:
                connection.execute(_INSERT_EVIDENCE, passages)
            if scores:
                connection.execute(_INSERT_SCORE, _score_rows(judgement_id, scores))
            if findings:
                connection.execute(_INSERT_FINDING, [_finding_row(judgement_id, finding) for finding in findings])
            _revise(connection, run_id)
        return True

    def judgement(self, run_id: str, item_id: str, judge: str) -> Judgement | None:
        """Load what one judge said of one answer; None if it has not been judged."""
        table, points, evidence = tables.judgements, tables.points, tables.evidence
        key = (table.c.run_id == run_id) & (table.c.item_id == item_id) & (table.c.judge == judge)
        with self.read() as connection:
            row = connection.execute(select(table).where(key)).first()
            if row is None:
                return None
            stored = connection.execute(
                select(points).where(points.c.judgement_id == row.id).order_by(points.c.position)
            ).all()
            passages: dict[int, list[Evidence]] = {}
            for passage in connection.execute(
                select(evidence).where(evidence.c.judgement_id == row.id).order_by(evidence.c.position)
            ):
                passages.setdefault(passage.point_position, []).append(
                    Evidence(passage.quote, passage.document_id, passage.start, passage.end, passage.similarity)
                )
        return Judgement(
            row.item_id,
            row.judge,
            Status(row.status),
            tuple(_point(point, passages.get(point.position, [])) for point in stored),
            None if row.failure is None else FailureKind(row.failure),
            row.reason,
            tuple(row.calls),
            tuple(row.notes),
        )

    def findings(self, run_id: str, item_id: str, judge: str) -> dict[str, list[Finding]]:
        """Load what was found out about one answer beside its data points, by group of metrics."""
        judged = tables.judgements
        found: dict[str, list[Finding]] = {}
        key = (judged.c.run_id == run_id, judged.c.item_id == item_id, judged.c.judge == judge)
        for finding in self._findings(key):
            found.setdefault(finding.group, []).append(finding)
        return found

    def run_findings(self, run_id: str, group: str, judge: str) -> list[Finding]:
        """Load the findings of one group for every answer of a run, in the order in which they were stored."""
        judged, findings = tables.judgements, tables.findings
        return self._findings((judged.c.run_id == run_id, judged.c.judge == judge, findings.c.group == group))

    def each_finding(self, run_id: str, group: str, judge: str) -> Iterator[Finding]:
        """Give the same one by one, for runs whose findings would not fit into memory together."""
        judged, findings = tables.judgements, tables.findings
        conditions = (judged.c.run_id == run_id, judged.c.judge == judge, findings.c.group == group)
        with self.read() as connection:
            rows = connection.execution_options(yield_per=PORTION).execute(self._found(conditions))
            yield from map(_finding, rows)

    def _findings(self, conditions: Iterable[Any]) -> list[Finding]:
        with self.read() as connection:
            return list(map(_finding, connection.execute(self._found(conditions)).all()))

    @staticmethod
    def _found(conditions: Iterable[Any]) -> Select[Any]:
        judged, findings = tables.judgements, tables.findings
        return (
            select(judged.c.item_id, findings)
            .join(findings, findings.c.judgement_id == judged.c.id)
            .where(*conditions)
            .order_by(judged.c.id, findings.c.group, findings.c.by)
        )

    def finished(self, run_id: str) -> set[tuple[str, str]]:
        """Give the (item, judge) pairs that are judged, failed ones included."""
        table = tables.judgements
        with self.read() as connection:
            rows = connection.execute(select(table.c.item_id, table.c.judge).where(table.c.run_id == run_id)).all()
        return {(row.item_id, row.judge) for row in rows}

    def forget_failed(self, run_id: str, kinds: Collection[FailureKind] | None = None) -> int:
        """Make answers due again of which something failed, all of them or those of some kinds, and return how many.

        The calls stay in the ledger; the number of tries is kept, so that a new try asks anew.
        """
        table, retries, findings = tables.judgements, tables.retries, tables.findings
        failed = (table.c.run_id == run_id) & partly_failed()
        if kinds is not None:
            named = [str(kind) for kind in kinds]
            beside = select(findings.c.judgement_id).where(findings.c.failure.in_(named))
            failed &= table.c.failure.in_(named) | table.c.id.in_(beside)
        with self.write() as connection:
            due = connection.execute(select(table.c.id, table.c.item_id, table.c.judge).where(failed)).all()
            if not due:
                return 0
            rows = [{"run_id": run_id, "item_id": row.item_id, "judge": row.judge, "tries": 0} for row in due]
            connection.execute(self.insert_new(retries), rows)
            again = (
                (retries.c.run_id == run_id)
                & (retries.c.item_id == bindparam("item"))
                & (retries.c.judge == bindparam("by"))
            )
            connection.execute(
                update(retries).where(again).values(tries=retries.c.tries + 1),
                [{"item": row.item_id, "by": row.judge} for row in due],
            )
            connection.execute(delete(table).where(table.c.id == bindparam("gone")), [{"gone": row.id} for row in due])
            _revise(connection, run_id)
        return len(due)

    def tries(self, run_id: str) -> dict[tuple[str, str], int]:
        """Give how often an answer failed before it was made due again, by (item, judge)."""
        table = tables.retries
        with self.read() as connection:
            rows = connection.execute(select(table).where(table.c.run_id == run_id)).all()
        return {(row.item_id, row.judge): row.tries for row in rows}


def _revise(connection: Any, run_id: str) -> None:
    """Let readers see that something changed."""
    changed = connection.execute(_REVISE, {"run": run_id})
    if not changed.rowcount:
        raise StoreError(f"there is no run {run_id!r}")


def _point_rows(judgement_id: Any, points: tuple[DataPoint, ...]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows, passages = [], []
    for position, point in enumerate(points):
        rows.append(
            {
                "judgement_id": judgement_id,
                "position": position,
                "point_id": point.id,
                "text": point.text,
                "tag": point.tag,
                "reason": point.reason,
                "start": point.start,
                "end": point.end,
                "quote": point.quote,
                "confidence": point.confidence,
            }
        )
        for place, passage in enumerate(point.evidence):
            passages.append(
                {
                    "judgement_id": judgement_id,
                    "point_position": position,
                    "position": place,
                    "quote": passage.quote,
                    "document_id": passage.document_id,
                    "start": passage.start,
                    "end": passage.end,
                    "similarity": passage.similarity,
                }
            )
    return rows, passages


def _score_rows(judgement_id: Any, scores: Mapping[str, Score]) -> list[dict[str, Any]]:
    return [
        {
            "judgement_id": judgement_id,
            "metric": metric,
            "value": score.value,
            "status": score.status,
            "reason": score.reason,
            "numerator": score.numerator,
            "denominator": score.denominator,
        }
        for metric, score in scores.items()
    ]


def _finding_row(judgement_id: Any, finding: Finding) -> dict[str, Any]:
    return {
        "judgement_id": judgement_id,
        "group": finding.group,
        "by": finding.by,
        "status": finding.status,
        "failure": finding.failure,
        "reason": finding.reason,
        "detail": plain(finding.detail),
        "calls": list(finding.calls),
        "notes": list(finding.notes),
    }


def _point(row: Any, passages: list[Evidence]) -> DataPoint:
    return DataPoint(
        row.point_id,
        row.text,
        None if row.tag is None else Tag(row.tag),
        row.reason,
        row.start,
        row.end,
        row.quote,
        tuple(passages),
        row.confidence,
    )


def _finding(row: Any) -> Finding:
    return Finding(
        row.item_id,
        row.group,
        row.by,
        Status(row.status),
        row.detail,
        None if row.failure is None else FailureKind(row.failure),
        row.reason,
        tuple(row.calls),
        tuple(row.notes),
    )
