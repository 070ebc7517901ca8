"""How many answers of a run are judged, and how many of them failed in some part. Counts rows and reads no text."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from lemaj_core.store import tables
from lemaj_core.types import Status


class Counts(NamedTuple):
    """Stored judgements of one run."""

    done: int = 0
    failed: int = 0
    last: Any = None


def count_judgements(connection: Connection, run_id: str | None = None) -> dict[str, Counts]:
    """Count what is judged, by run; of one run or of all."""
    table = tables.judgements
    failed = partly_failed()
    statement = select(table.c.run_id, failed, func.count(), func.max(table.c.created))
    if run_id is not None:
        statement = statement.where(table.c.run_id == run_id)
    counts: dict[str, Counts] = {}
    for run, bad, number, last in connection.execute(statement.group_by(table.c.run_id, failed)):
        before = counts.get(run, Counts())
        counts[run] = Counts(
            before.done + number, before.failed + (number if bad else 0), max(filter(None, (before.last, last)))
        )
    return counts


def partly_failed() -> Any:
    """Condition on judgements: the data points or a finding beside them could not be had."""
    table, findings = tables.judgements, tables.findings
    return (table.c.status == Status.FAILED) | table.c.id.in_(
        select(findings.c.judgement_id).where(findings.c.status == Status.FAILED)
    )
