"""What was paid for what, and what judges noted: sums over the calls and judgements of a run."""

from typing import NamedTuple

from sqlalchemy import Text, case, cast, func, select

from lemaj_core.store import tables
from lemaj_core.store.connection import StoreConnection


class Spent(NamedTuple):
    """What the calls of one judge for one purpose took; ``cost`` is None when the price of a call is unknown."""

    judge: str
    purpose: str
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost: float | None


class Spending(StoreConnection):
    """Sums for the run card."""

    def spending(self, run_id: str) -> list[Spent]:
        """Add up the calls of a run by judge and by what they were for, the dearest first.

        What a call was for stands before the slash of its schema version ("data_points/1+...").
        """
        calls = tables.calls
        paid, answered = calls.c.cached.is_(False), calls.c.failure.is_(None)
        statement = (
            select(
                calls.c.judge,
                calls.c.schema_version,
                func.sum(case((paid, 1), else_=0)),
                func.sum(case((paid, 0), else_=1)),
                func.sum(case((paid, calls.c.tokens_in), else_=0)),
                func.sum(case((paid, calls.c.tokens_out), else_=0)),
                func.sum(calls.c.cost),
                func.sum(case((paid & answered & calls.c.cost.is_(None), 1), else_=0)),
            )
            .where(calls.c.run_id == run_id)
            .group_by(calls.c.judge, calls.c.schema_version)
        )
        found: dict[tuple[str, str], Spent] = {}
        with self.read() as connection:
            for judge, form, calls_made, cached, tokens_in, tokens_out, cost, unpriced in connection.execute(statement):
                judge, purpose = judge or "", form.partition("/")[0]
                before = found.get((judge, purpose), Spent(judge, purpose, 0, 0, 0, 0, 0.0))
                found[judge, purpose] = Spent(
                    judge,
                    purpose,
                    before.calls + calls_made,
                    before.cached + cached,
                    before.tokens_in + (tokens_in or 0),
                    before.tokens_out + (tokens_out or 0),
                    None if unpriced or before.cost is None else before.cost + (cost or 0.0),
                )
        return sorted(found.values(), key=lambda spent: (-(spent.cost or 0.0), -spent.calls, spent[:2]))

    def noted(self, run_id: str, words: str) -> dict[str, int]:
        """Count the answers of a run on which a judge left a note that holds these words, by judge; none: not named."""
        table = tables.judgements
        holds = cast(table.c.notes, Text).contains(words, autoescape=True)
        statement = select(table.c.judge, func.count()).where(table.c.run_id == run_id, holds).group_by(table.c.judge)
        with self.read() as connection:
            return {judge: count for judge, count in connection.execute(statement)}
