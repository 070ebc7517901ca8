"""Opening a store: the engine, the two kinds of transaction, and the numbered migrations.

SQLite (in WAL mode) by default, PostgreSQL by URL. Nothing here knows what the tables mean, and the few words that
only one of the two databases understands stand in this file.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect, make_url, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from lemaj_core import settings
from lemaj_core.errors import StoreError
from lemaj_core.store import tables
from lemaj_core.store.columns import storable


def _findings(connection: Connection) -> None:
    connection.exec_driver_sql(
        """CREATE TABLE findings (
            judgement_id INTEGER NOT NULL REFERENCES judgements (id) ON DELETE CASCADE,
            "group" TEXT NOT NULL, "by" TEXT NOT NULL, status TEXT NOT NULL, failure TEXT, reason TEXT,
            detail JSON NOT NULL, calls JSON NOT NULL, notes JSON NOT NULL,
            PRIMARY KEY (judgement_id, "group", "by"))"""
    )
    connection.exec_driver_sql("CREATE INDEX findings_status ON findings (status, judgement_id)")


def _prompts(connection: Connection) -> None:
    connection.exec_driver_sql(
        """CREATE TABLE prompts (
            version TEXT NOT NULL PRIMARY KEY, created DATETIME NOT NULL, note TEXT NOT NULL, pieces JSON NOT NULL)"""
        if connection.dialect.name == "sqlite"
        else """CREATE TABLE prompts (
            version TEXT NOT NULL PRIMARY KEY, created TIMESTAMP WITH TIME ZONE NOT NULL, note TEXT NOT NULL,
            pieces JSON NOT NULL)"""
    )


def _expert_labels(connection: Connection) -> None:
    moment = "DATETIME" if connection.dialect.name == "sqlite" else "TIMESTAMP WITH TIME ZONE"
    connection.exec_driver_sql(
        f"""CREATE TABLE expert_labels (
            dataset_id TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
            item_id TEXT NOT NULL, annotator TEXT NOT NULL, mode TEXT NOT NULL, run_id TEXT, judge TEXT,
            points JSON NOT NULL, committed JSON, correctness DOUBLE PRECISION, relevance DOUBLE PRECISION,
            correct INTEGER NOT NULL, incorrect INTEGER NOT NULL, irrelevant INTEGER NOT NULL, missing INTEGER NOT NULL,
            note TEXT NOT NULL, seconds DOUBLE PRECISION NOT NULL,
            started {moment} NOT NULL, saved {moment} NOT NULL, finished {moment},
            PRIMARY KEY (dataset_id, item_id, annotator))"""
    )
    connection.exec_driver_sql("CREATE INDEX expert_labels_annotator ON expert_labels (dataset_id, annotator)")


# A new store is made from tables.py as it is and marked with every name; an older store gets the missing steps in
# this order. A step works on the database only, never through tables.py, which will have moved on.
MIGRATIONS: Mapping[str, Callable[[Connection], None]] = {
    "0001_first": tables.metadata.create_all,
    "0002_findings": _findings,
    "0003_prompts": _prompts,
    "0004_expert_labels": _expert_labels,
}

_writes: ContextVar[bool] = ContextVar("_writes", default=False)
BUSY_SECONDS = 120  # how long a writer waits for another before it gives up


def now() -> datetime:
    """Give the time, UTC."""
    return datetime.now(UTC)


def plain(value: Any) -> Any:
    """Make a value fit for JSON: NaN and infinity are absent (None), other types their number or their text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return storable(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if callable(getattr(value, "item", None)):  # a number of numpy
        return plain(value.item())
    return str(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


class StoreConnection:
    """An open store: transactions and nothing else."""

    def __init__(self, url: str):
        self.url = url
        self._engine = _engine(url)
        try:
            self._migrate()
        except DBAPIError as error:
            self._engine.dispose()
            raise StoreError(f"the store {self.where} cannot be opened: {error.orig}") from error
        except StoreError:
            self._engine.dispose()
            raise

    @property
    def where(self) -> str:
        """The address without its password."""
        return self._engine.url.render_as_string(hide_password=True)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the store and waits for nobody."""
        with self._translate(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that may write; everything in it is kept, or nothing."""
        with self._translate(), _writing(self._engine) as connection:
            yield connection

    @contextmanager
    def _translate(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            raise StoreError(f"the store refused a row that contradicts others: {error.orig}") from error
        except SQLAlchemyError as error:
            raise StoreError(f"the store {self.where} failed: {getattr(error, 'orig', None) or error}") from error

    def insert_new(self, table: Table) -> Any:
        """Build an insert that leaves a row alone whose key is there already."""
        dialect = postgresql if self._engine.dialect.name == "postgresql" else sqlite
        return dialect.insert(table).on_conflict_do_nothing()

    def _migrate(self) -> None:
        try:
            self._apply()
        except DBAPIError:
            # two processes may make a new store at once: the second look finds the work of the first
            self._apply()

    def _apply(self) -> None:
        with _writing(self._engine) as connection:
            fresh = not inspect(connection).has_table(tables.migrations.name)
            known = set() if fresh else set(connection.scalars(select(tables.migrations.c.name)))
            if newer := known - set(MIGRATIONS):
                raise StoreError(
                    f"the store {self.where} is newer than this program (it has {', '.join(sorted(newer))}); "
                    "update the program or name another store"
                )
            if fresh:
                tables.metadata.create_all(connection)
            for name, step in MIGRATIONS.items():
                if name in known:
                    continue
                if not fresh:
                    step(connection)
                connection.execute(tables.migrations.insert().values(name=name, applied=now()))


def _engine(url: str) -> Engine:
    try:
        parts = make_url(url)
        if parts.get_backend_name() == "sqlite":
            return _sqlite(url)
        if parts.get_backend_name() == "postgresql":
            if parts.drivername == "postgresql":
                parts = parts.set(drivername="postgresql+psycopg")
            return create_engine(parts, json_serializer=_dumps, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError) as error:
        raise StoreError(f"{url!r} is not the URL of a store; expected sqlite:///PATH or postgresql://...") from error
    except ModuleNotFoundError as error:
        raise StoreError(f"a PostgreSQL store needs the package {error.name}: pip install 'psycopg[binary]'") from error
    raise StoreError(f"a store is SQLite or PostgreSQL, not {parts.get_backend_name()}")


def _sqlite(url: str) -> Engine:
    database = make_url(url).database
    if not database or database == ":memory:" or database.startswith("file:"):
        raise StoreError("a store needs a file, because another process must see it: sqlite:///PATH")
    try:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder of the store {database} cannot be made: {error}") from error
    engine = create_engine(url, json_serializer=_dumps, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # the driver would begin transactions late and leave DDL outside
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA cache_size=-32000")
        cursor.close()

    # by the dialect and not by an event: one listener makes every statement look for listeners, a tenth of its time
    setattr(engine.dialect, "do_begin", _begin)  # noqa: B010
    return engine


def _begin(connection: Any) -> None:
    cursor = connection.cursor()
    # a transaction that reads first and writes later cannot wait for another writer, so writers say so at once
    cursor.execute("BEGIN IMMEDIATE" if _writes.get() else "BEGIN")
    cursor.close()


@contextmanager
def _writing(engine: Engine) -> Iterator[Connection]:
    with ExitStack() as stack:
        token = _writes.set(True)
        try:
            connection = stack.enter_context(engine.begin())
        finally:
            _writes.reset(token)
        yield connection


def default_url() -> str:
    """Give the URL from the environment, or the file beside the program."""
    return settings.store_url()
