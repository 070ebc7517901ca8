"""Runs in the store: creating them, who works on them, cancelling them, and how far they are.

The state of a run is worked out from its rows and from whether its worker lives, each time it is asked for. A flag
would survive the process that should have changed it.
"""

import platform
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from lemaj_core.errors import SettingsError, StoreError
from lemaj_core.metrics.table import GROUPS
from lemaj_core.store import liveness, tables
from lemaj_core.store.connection import now, plain
from lemaj_core.store.counts import Counts, count_judgements
from lemaj_core.store.prompts import Prompts
from lemaj_core.types import Run, RunSettings, RunState, Strictness

STALE = timedelta(seconds=120)  # a worker beats every two seconds, but waits while a large upload is stored
SEQUENCES = ("judges", "metrics", "vote_models", "proxies")
PACKAGES = ("litellm", "nupunkt", "rapidfuzz", "sentence-transformers", "torch", "transformers", "onnxruntime", "numpy")


class Runs(Prompts):
    """Creating, reading, holding and ending runs."""

    def create_run(
        self, dataset_id: str, settings: RunSettings, *, name: str | None = None, run_id: str | None = None
    ) -> str:
        """Add a run that waits to be worked on, and return its id.

        Raises
        ------
        StoreError
            If there is no such data set or prompt, or a run has the given id already.
        SettingsError
            If a group of metrics does not exist, or no judge is named.
        """
        settings = replace(settings, metrics=_groups(settings.metrics))
        if not settings.judges or len(set(settings.judges)) < len(settings.judges):
            raise SettingsError(f"a run needs judges, each once; got {', '.join(settings.judges) or 'none'}")
        for judge in settings.judges:
            self.wording_of(judge)
        run_id = run_id or uuid.uuid4().hex[:8]
        with self.write() as connection:
            head = connection.execute(select(tables.datasets).where(tables.datasets.c.id == dataset_id)).first()
            if head is None:
                raise StoreError(f"there is no data set {dataset_id!r} in {self.where}")
            if connection.scalar(select(tables.runs.c.id).where(tables.runs.c.id == run_id)):
                raise StoreError(f"there is a run {run_id!r} already; choose another id or delete it")
            connection.execute(
                insert(tables.runs).values(
                    id=run_id,
                    name=name or f"{head.name}, {', '.join(settings.judges)}",
                    dataset_id=dataset_id,
                    settings=plain(asdict(settings)),
                    versions=_versions(),
                    created=now(),
                    total=head.answers * len(settings.judges),
                )
            )
        return run_id

    def run(self, run_id: str) -> Run:
        """Look at one run.

        Raises
        ------
        StoreError
            If there is no such run; the message lists the ids there are.
        """
        with self.read() as connection:
            row = self._run_row(connection, run_id)
            counts = count_judgements(connection, run_id).get(run_id, Counts())
        return describe(row, counts)

    def runs(self) -> list[Run]:
        """Look at every run, the newest first."""
        statement = _run_rows().order_by(tables.runs.c.created.desc(), tables.runs.c.id)
        with self.read() as connection:
            rows = connection.execute(statement).all()
            counts = count_judgements(connection)
        return [describe(row, counts.get(row.id, Counts())) for row in rows]

    def version(self, run_id: str) -> str:
        """Give a token that changes whenever a judgement of the run is stored, forgotten or replaced."""
        with self.read() as connection:
            row = self._run_row(connection, run_id)
        return f"{row.created.timestamp():.6f}-{row.revision}"

    def request_cancel(self, run_id: str) -> None:
        """Ask the worker of a run to stop; it does so before its next call."""
        self._set(run_id, cancel_requested=now())

    def clear_cancel(self, run_id: str) -> None:
        """Allow a cancelled run to be worked on again."""
        self._set(run_id, cancel_requested=None)

    def cancel_requested(self, run_id: str) -> bool:
        """Whether somebody asked the run to stop."""
        with self.read() as connection:
            statement = select(tables.runs.c.cancel_requested).where(tables.runs.c.id == run_id)
            row = connection.execute(statement).first()
        if row is None:
            raise StoreError(f"run {run_id!r} is no longer in {self.where}")
        return row.cancel_requested is not None

    def set_max_cost(self, run_id: str, max_cost: float | None) -> None:
        """Change the spend cap of a run, so that one stopped by it can go on."""
        with self.write() as connection:
            settings = dict(self._run_row(connection, run_id).settings)
            settings["max_cost"] = max_cost
            connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(settings=settings))

    def note_capped(self, run_id: str) -> None:
        """Keep that the run stopped at the spend cap it has now."""
        with self.write() as connection:
            cap = self._run_row(connection, run_id).settings.get("max_cost")
            connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(capped_at=cap))

    def note_versions(self, run_id: str, versions: Mapping[str, str]) -> None:
        """Add to the versions a run was made with, for example those of its judges."""
        with self.write() as connection:
            known = dict(self._run_row(connection, run_id).versions)
            if known | dict(versions) != known:
                values = {"versions": known | dict(versions)}
                connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(values))

    def claim(self, run_id: str, pid: int, *, worker: str | None = None) -> None:
        """Take a run to work on it: reserve it for a process, or hold it as one worker of that process.

        Raises
        ------
        StoreError
            If a live worker holds the run.
        """
        with self.write() as connection:
            row = self._run_row(connection, run_id, lock=True)
            reserved_for_us = row.pid == pid and row.worker is None
            if _held(row) and row.worker != worker and not reserved_for_us:
                raise StoreError(
                    f"process {row.pid} on {row.host} is working on run {run_id}; wait for it or cancel the run"
                )
            values: dict[str, Any] = {"beat": now(), "pid": pid, "pid_started": liveness.started(pid)}
            values |= {"host": liveness.host(), "worker": worker}
            if worker is not None:
                values["capped_at"] = None
            connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(values))

    def beat(self, run_id: str, pid: int, *, worker: str | None = None) -> bool:
        """Say that the process still works on the run; False if another one holds it or the run is gone."""
        with self.write() as connection:
            row = connection.execute(_run_rows().where(tables.runs.c.id == run_id).with_for_update()).first()
            if row is None or (worker is not None and row.worker != worker):
                return False
            if row.pid != pid and _held(row):
                return False
            values: dict[str, Any] = {"beat": now()}
            if row.pid != pid:
                values |= {"pid": pid, "pid_started": liveness.started(pid), "host": liveness.host(), "worker": worker}
            connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(values))
        return True

    def release(self, run_id: str, worker: str) -> None:
        """Let go of a run that this worker held."""
        held = (tables.runs.c.id == run_id) & (tables.runs.c.worker == worker)
        with self.write() as connection:
            connection.execute(update(tables.runs).where(held).values(pid=None, pid_started=None, worker=None))

    def delete_run(self, run_id: str) -> None:
        """Remove a run with all it judged; replies stay, so that the same questions need not be paid again.

        Raises
        ------
        StoreError
            If a live worker holds the run.
        """
        with self.write() as connection:
            row = self._run_row(connection, run_id)
            if _held(row):
                raise StoreError(f"process {row.pid} is working on run {run_id}; cancel it before deleting it")
            connection.execute(delete(tables.runs).where(tables.runs.c.id == run_id))

    def _set(self, run_id: str, **values: Any) -> None:
        with self.write() as connection:
            self._run_row(connection, run_id)
            connection.execute(update(tables.runs).where(tables.runs.c.id == run_id).values(values))

    def _run_row(self, connection: Connection, run_id: str, *, lock: bool = False) -> Row[Any]:
        statement = _run_rows().where(tables.runs.c.id == run_id)
        row = connection.execute(statement.with_for_update(of=tables.runs) if lock else statement).first()
        if row is None:
            known = connection.scalars(select(tables.runs.c.id).order_by(tables.runs.c.created.desc())).all()
            raise StoreError(f"there is no run {run_id!r} in {self.where}; it holds {', '.join(known) or 'none'}")
        return row


def _groups(metrics: Iterable[str]) -> tuple[str, ...]:
    """Write "all" out, and refuse groups that do not exist."""
    chosen = tuple(dict.fromkeys(name for group in metrics for name in (GROUPS if group == "all" else (group,))))
    if unknown := [group for group in chosen if group not in GROUPS]:
        raise SettingsError(f"no metrics are called {', '.join(unknown)}; there are {', '.join(GROUPS)} and all")
    return chosen


def _run_rows() -> Any:
    runs, datasets = tables.runs, tables.datasets
    return select(runs, datasets.c.name.label("dataset_name"), datasets.c.constructed).join(
        datasets, datasets.c.id == runs.c.dataset_id
    )


def _held(row: Row[Any]) -> bool:
    """Whether a live process holds the run: beating, and on this machine the very process that began."""
    if row.pid is None or row.beat is None or now() - row.beat > STALE:
        return False
    return row.host != liveness.host() or liveness.alive(row.pid, row.pid_started)


def _state(row: Row[Any], done: int) -> RunState:
    if done >= row.total:
        return RunState.FINISHED
    if _held(row):
        return RunState.RUNNING
    if row.cancel_requested is not None:
        return RunState.CANCELLED
    cap = row.settings.get("max_cost")
    if row.capped_at is not None and cap is not None and cap <= row.capped_at:
        return RunState.CAPPED
    # a worker that died before its first answer is worth a word too
    return RunState.INTERRUPTED if done or row.beat is not None else RunState.WAITING


def describe(row: Row[Any], counts: Counts) -> Run:
    """Build a run from its row and the number of its judgements."""
    state = _state(row, counts.done)
    return Run(
        row.id,
        row.name,
        row.dataset_id,
        row.dataset_name,
        _settings(row.settings),
        row.created,
        state,
        row.total,
        counts.done,
        counts.failed,
        row.constructed,
        row.beat,
        counts.last if state is RunState.FINISHED else None,
        row.versions,
    )


def _settings(stored: Mapping[str, Any]) -> RunSettings:
    known = {field.name for field in fields(RunSettings)}
    values = {name: value for name, value in stored.items() if name in known}
    values |= {name: tuple(values[name]) for name in SEQUENCES if name in values}
    if "strictness" in values:
        values["strictness"] = Strictness(values["strictness"])
    return RunSettings(**values)


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
