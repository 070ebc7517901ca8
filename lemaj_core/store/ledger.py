"""The ledger: every reply ever paid for, every call a run made, found in the ledger or lost.

The replies are also the cache: they belong to the question, not to the run. A call belongs to the answer it was made
for, so that a worker that takes over knows what has been asked already.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import bindparam, case, func, insert, select

from lemaj_core.errors import CallFailed, StoreError
from lemaj_core.store import tables
from lemaj_core.store.columns import storable
from lemaj_core.store.connection import now, plain
from lemaj_core.store.counts import Counts, count_judgements, partly_failed
from lemaj_core.store.records import Progress
from lemaj_core.store.runs import Runs, describe
from lemaj_core.types import FailureKind, Reply, Request, Status

CHUNK = 500  # keys per question: databases limit the number of parameters


class PastCall(NamedTuple):
    """A call that was made for an answer that is not judged yet; ``failure`` is None if it was answered."""

    key: str
    attempt: int
    failure: str | None
    reason: str | None


# Statements of every call, built once: building costs more than running them.
_REPLY = select(tables.replies).where(tables.replies.c.key == bindparam("wanted"))
_LOOK = (
    select(tables.runs.c.cancel_requested, tables.replies)
    .outerjoin(tables.replies, tables.replies.c.key == bindparam("wanted"))
    .where(tables.runs.c.id == bindparam("run"))
)
_INSERT_CALL = insert(tables.calls)


class Ledger(Runs):
    """Replies and calls."""

    @cached_property
    def _insert_reply(self) -> Any:
        return self.insert_new(tables.replies)

    def cached_reply(self, key: str) -> Reply | None:
        """Find the reply to a request that was answered before, by whichever run."""
        with self.read() as connection:
            row = connection.execute(_REPLY, {"wanted": key}).first()
        return None if row is None else _reply(row)

    def look(self, run_id: str, key: str) -> tuple[bool, Reply | None]:
        """Look at once whether a run was cancelled and whether a request is answered: asked before every call."""
        with self.read() as connection:
            row = connection.execute(_LOOK, {"run": run_id, "wanted": key}).first()
        if row is None:
            raise StoreError(f"run {run_id!r} is no longer in {self.where}")
        return row.cancel_requested is not None, None if row.key is None else _reply(row)

    def known_keys(self, keys: Iterable[str]) -> set[str]:
        """Tell which requests are answered already."""
        table, source = tables.replies, iter(keys)
        known: set[str] = set()
        with self.read() as connection:
            while chunk := list(islice(source, CHUNK)):
                known.update(connection.scalars(select(table.c.key).where(table.c.key.in_(chunk))))
        return known

    def add_call(
        self,
        run_id: str,
        request: Request,
        reply: Reply | None = None,
        failure: CallFailed | None = None,
        cached: bool = False,
        *,
        item_id: str | None = None,
        judge: str | None = None,
        attempt: int = 0,
        key: str | None = None,
    ) -> Reply | None:
        """Keep a call, with its reply or its failure, and return the reply as it is kept.

        Parameters
        ----------
        run_id : str
            The run that asked.
        request : Request
            What was asked; its messages are not kept, they can be rendered again.
        reply : Reply, optional
            What came back.
        failure : CallFailed, optional
            Why nothing came back.
        cached : bool, default False
            Whether the reply was found in the ledger: nothing was sent and nothing paid.
        item_id, judge : str, optional
            The answer it was asked for.
        attempt : int, default 0
            The number of earlier failed tries of that answer.
        key : str, optional
            ``request.key()`` where it is known; long requests take a while to digest.
        """
        key = key or request.key()
        usage = reply.usage if reply else {}
        values = {
            "run_id": run_id,
            "item_id": item_id,
            "judge": judge,
            "attempt": attempt,
            "key": key,
            "created": now(),
            "cached": cached,
            "failure": failure and failure.kind,
            "reason": failure and str(failure),
            "model": request.model,
            "base_url": request.base_url,
            "parameters": plain(request.parameters),
            "schema_version": request.schema_version,
            "repeat": request.repeat,
            "tokens_in": _tokens(usage, "prompt_tokens", "input_tokens"),
            "tokens_out": _tokens(usage, "completion_tokens", "output_tokens"),
            "cost": reply.cost if reply and not cached else None,
            "seconds": reply.seconds if reply and not cached else None,
        }
        with self.write() as connection:
            if reply is not None and not cached:
                connection.execute(
                    self._insert_reply,
                    {
                        "key": key,
                        "created": now(),
                        "model": reply.model,
                        "finish_reason": reply.finish_reason,
                        "usage": plain(usage),
                        "cost": reply.cost,
                        "seconds": reply.seconds,
                        "text": reply.text,
                    },
                )
            connection.execute(_INSERT_CALL, values)
        if reply is None:
            return None
        return Reply(storable(reply.text), reply.finish_reason, plain(usage), reply.cost, reply.seconds, reply.model)

    def raw_replies(self, run_id: str, item_id: str, judge: str) -> list[Reply]:
        """Load what the model sent for one answer, in the order asked."""
        table = tables.judgements
        where = (table.c.run_id == run_id) & (table.c.item_id == item_id) & (table.c.judge == judge)
        with self.read() as connection:
            keys = connection.scalar(select(table.c.calls).where(where)) or []
            rows = connection.execute(select(tables.replies).where(tables.replies.c.key.in_(keys))).all()
        found = {row.key: _reply(row) for row in rows}
        return [found[key] for key in keys if key in found]

    def open_calls(self, run_id: str) -> dict[tuple[str, str], list[PastCall]]:
        """Find the calls made for answers that were not judged before their worker ended, by (item, judge)."""
        calls, judged = tables.calls, tables.judgements
        same = (judged.c.run_id == calls.c.run_id) & (judged.c.item_id == calls.c.item_id)
        statement = (
            select(calls.c.item_id, calls.c.judge, calls.c.key, calls.c.attempt, calls.c.failure, calls.c.reason)
            .outerjoin(judged, same & (judged.c.judge == calls.c.judge))
            .where(calls.c.run_id == run_id, calls.c.item_id.is_not(None), judged.c.id.is_(None))
            .order_by(calls.c.id)
        )
        found: dict[tuple[str, str], list[PastCall]] = {}
        with self.read() as connection:
            for item_id, judge, *call in connection.execute(statement):
                found.setdefault((item_id, judge), []).append(PastCall(*call))
        return found

    def spent(self, run_id: str) -> float:
        """Add up what the calls of a run cost, over all its workers; calls without a price count nothing."""
        table = tables.calls
        with self.read() as connection:
            return connection.scalar(select(func.sum(table.c.cost)).where(table.c.run_id == run_id)) or 0.0

    def dearest(self, run_id: str) -> dict[str, float]:
        """Give the highest price paid for one call, by model."""
        table = tables.calls
        statement = select(table.c.model, func.max(table.c.cost)).where(
            table.c.run_id == run_id, table.c.cost.is_not(None)
        )
        with self.read() as connection:
            return {model: cost for model, cost in connection.execute(statement.group_by(table.c.model))}

    def progress(self, run_id: str) -> Progress:
        """Add up how far a run is and what it has used."""
        calls, judged = tables.calls, tables.judgements
        paid = calls.c.cached.is_(False)
        answered = paid & calls.c.failure.is_(None)
        per_model = (
            select(
                calls.c.model,
                func.sum(case((paid, 1), else_=0)),
                func.sum(case((paid, 0), else_=1)),
                func.sum(case((paid, calls.c.tokens_in), else_=0)),
                func.sum(case((paid, calls.c.tokens_out), else_=0)),
                func.sum(calls.c.cost),
                func.sum(case((answered & calls.c.cost.is_(None), 1), else_=0)),
                func.min(calls.c.created),
                func.max(calls.c.created),
            )
            .where(calls.c.run_id == run_id)
            .group_by(calls.c.model)
            .order_by(calls.c.model)
        )
        beside = tables.findings
        kinds = (
            select(func.coalesce(judged.c.failure, beside.c.failure), func.count(judged.c.id.distinct()))
            .outerjoin(beside, (beside.c.judgement_id == judged.c.id) & (beside.c.status == Status.FAILED))
            .where(judged.c.run_id == run_id, partly_failed())
            .group_by(func.coalesce(judged.c.failure, beside.c.failure))
        )
        with self.read() as connection:
            row = self._run_row(connection, run_id)
            counts = count_judgements(connection, run_id).get(run_id, Counts())
            failures = {FailureKind(kind or FailureKind.INTERNAL): number for kind, number in connection.execute(kinds)}
            models = connection.execute(per_model).all()
        unpriced = tuple(model[0] for model in models if model[6])
        first = min((model[7] for model in models), default=None)
        last = max((model[8] for model in models), default=None)
        return Progress(
            describe(row, counts).state,
            row.total,
            counts.done,
            counts.done - counts.failed,
            counts.failed,
            failures,
            sum(model[1] for model in models),
            sum(model[2] for model in models),
            sum(model[3] or 0 for model in models),
            sum(model[4] or 0 for model in models),
            None if unpriced else float(sum(model[5] or 0.0 for model in models)),
            unpriced,
            first,
            last,
            (last - first).total_seconds() if first and last else 0.0,
        )


def _tokens(usage: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        if isinstance(usage.get(name), int):
            return usage[name]
    return None


def _reply(row: Any) -> Reply:
    return Reply(row.text, row.finish_reason, row.usage, row.cost, row.seconds, row.model)
