"""The store keeps what it is given, in SQLite and, where a server is named, in PostgreSQL."""

import math
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import insert, inspect, select, text, update

from lemaj_core.errors import CallFailed, SettingsError, StoreError
from lemaj_core.metrics.table import METRICS
from lemaj_core.store import open_store, tables
from lemaj_core.store.connection import MIGRATIONS
from lemaj_core.types import (
    Annotation,
    DataPoint,
    Dataset,
    Document,
    Evidence,
    FailureKind,
    Item,
    Judgement,
    Problem,
    Reply,
    Request,
    RunSettings,
    Score,
    Status,
    Strictness,
    Tag,
)

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        yield opened


def asked(words, **changes):
    return replace(Request("m", ({"role": "user", "content": words},)), **changes)


def judged(item_id, *tags, judge="offline", **changes):
    points = tuple(DataPoint(f"p{n}", f"point {n}", tag) for n, tag in enumerate(tags))
    return replace(Judgement(item_id, judge, Status.SCORED, points), **changes)


# data sets


def test_a_data_set_comes_back_whole(store, small_dataset):
    full = replace(
        small_dataset,
        problems=(Problem("row left out", "error", "a.csv", 7, "answer"), Problem("odd")),
        layout="ragas",
        constructed=True,
        items=(
            *small_dataset.items,
            Item("a7", "?", "Because. 👩‍⚖️ e\u0301", None, ("one", "two"), "reference", extra={"x": [1, {"a": None}]}),
        ),
    )  # fmt: skip
    key = store.add_dataset(full)
    assert key == full.digest()[:12]
    assert store.dataset(key) == full


def test_the_same_data_set_is_stored_once(store, small_dataset):
    first = store.add_dataset(small_dataset)
    assert store.add_dataset(replace(small_dataset, name="again")) == first
    assert [(info.id, info.name, info.answers, info.documents, info.problems) for info in store.datasets()] == [
        (first, "small", 6, 2, 0)
    ]


def test_texts_are_fetched_singly(store, small_dataset):
    key = store.add_dataset(small_dataset)
    assert store.item(key, "a4") == small_dataset.items[3]
    assert store.document(key, "nda") == small_dataset.documents["nda"]
    assert store.document(key, "lost") is None
    assert store.annotations(key) == list(small_dataset.annotations)
    assert store.annotations(key, "a2") == list(small_dataset.annotations)
    assert store.annotations(key, "a1") == []
    assert store.item_ids(key) == ["a1", "a2", "a3", "a4", "a5", "a6"]
    with pytest.raises(StoreError, match=r"no answer 'a9'"):
        store.item(key, "a9")
    with pytest.raises(StoreError, match=rf"no data set 'nowhere'.*{key}"):
        store.item("nowhere", "a1")


def test_numbers_that_do_not_exist_become_absent(store):
    extra = {"nan": math.nan, "inf": math.inf, "nested": [math.nan, 1.5], "time": datetime(2026, 1, 2, tzinfo=UTC)}
    key = store.add_dataset(Dataset("odd", (Item("i", "q", "a", extra=extra),)))
    found = store.item(key, "i").extra
    assert found == {"nan": None, "inf": None, "nested": [None, 1.5], "time": "2026-01-02 00:00:00+00:00"}


def test_numbers_of_numpy_are_kept_as_numbers(store):
    row = pd.DataFrame({"n": [3], "x": [0.5], "yes": [True]}).iloc[0].to_dict()
    key = store.add_dataset(Dataset("numpy", (Item("i", "q", "a", extra=row),)))
    assert store.item(key, "i").extra == {"n": 3, "x": 0.5, "yes": True}


def test_characters_that_no_database_takes_are_replaced_one_for_one(store):
    text = "a\x00b\ud800c😀"
    key = store.add_dataset(Dataset("odd", (Item("i", text, text),)))
    assert store.item(key, "i").answer == "a\ufffdb\ufffdc😀"


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (Dataset("d", (Item("i", "q", "a"), Item("i", "q", "a"))), "two answers have the id 'i'"),
        (Dataset("d", (Item("i", "q", "a", "lost"),)), "answer i refers to document 'lost'"),
        (Dataset("d", (), annotations=(Annotation("i", "me"),)), "label by me refers to answer 'i'"),
    ],
)
def test_what_does_not_fit_together_is_refused(store, dataset, message):
    with pytest.raises(StoreError, match=message):
        store.add_dataset(dataset)
    assert store.datasets() == []


@pytest.mark.parametrize(
    ("point", "message"),
    [
        (DataPoint("p", "t", Tag.CORRECT, "", 0, 4, "Rent"), "'Rent' was expected at 0 to 4, found 'The '"),
        (DataPoint("p", "t", Tag.CORRECT, "", 0, 900, "The"), "0 to 900 lie outside a text of 18 characters"),
        (DataPoint("p", "t", Tag.CORRECT, "", 3, None, "The"), "3 to None lie outside"),
        (DataPoint("p", "t", Tag.CORRECT, "", evidence=(Evidence("Rent", "d", 0, 4),)), "'Rent' was expected"),
        (DataPoint("p", "t", Tag.CORRECT, "", evidence=(Evidence("x", "d", 5, 99, 0.9),)), "5 to 99 lie outside"),
    ],
)  # fmt: skip
def test_offsets_that_do_not_lead_to_their_quote_are_found_on_loading(store, point, message):
    dataset = Dataset(
        "d", (Item("i", "q", "The rent is 2,000.", "d"),), {"d": Document("d", "d", "A contract.")},
        (Annotation("i", "me", (point,)),),
    )  # fmt: skip
    key = store.add_dataset(dataset)
    with pytest.raises(StoreError, match=message):
        store.dataset(key)


def test_a_passage_found_by_likeness_need_not_be_the_quote(store):
    point = DataPoint("p", "t", Tag.CORRECT, "", evidence=(Evidence("a  contract", "d", 0, 10, 0.95),))
    documents = {"d": Document("d", "d", "A contract.")}
    dataset = Dataset("d", (Item("i", "q", "a", "d"),), documents, (Annotation("i", "me", (point,)),))
    assert store.dataset(store.add_dataset(dataset)) == dataset


# runs


def test_settings_and_versions_come_back(store, small_dataset):
    settings = RunSettings(("offline", "m"), ("data_points",), Strictness.STRICT, 2.0, False, "http://x", 7, 1.5, 9.0)
    run_id = store.create_run(store.add_dataset(small_dataset), settings)
    run = store.run(run_id)
    assert run.settings == settings
    assert (run.total, run.done, run.failed, run.state) == (12, 0, 0, "waiting")
    assert run.name == "small, offline, m"
    assert run.versions["python"].startswith("3.")
    assert run.versions["numpy"]
    assert run.created.tzinfo is UTC
    assert datetime.now(UTC) - run.created < timedelta(minutes=1)


def test_all_metrics_are_written_out_and_unknown_ones_refused(store, small_dataset):
    key = store.add_dataset(small_dataset)
    run = store.run(store.create_run(key, RunSettings(metrics=("all",))))
    assert set(run.settings.metrics) == {metric.group for metric in METRICS.values()}
    with pytest.raises(SettingsError, match="no metrics are called nonsense; there are data_points"):
        store.create_run(key, RunSettings(metrics=("nonsense",)))
    with pytest.raises(SettingsError, match="got none"):
        store.create_run(key, RunSettings(judges=()))
    with pytest.raises(SettingsError, match="each once"):
        store.create_run(key, RunSettings(judges=("m", "m")))


def test_an_unknown_run_is_answered_with_the_known_ones(store, small_run):
    with pytest.raises(StoreError, match=r"no run 'nope' in .*; it holds 5ma11000"):
        store.run("nope")
    with pytest.raises(StoreError, match="there is a run '5ma11000' already"):
        store.create_run(small_run.dataset_id, RunSettings(), run_id="5ma11000")
    with pytest.raises(StoreError, match="no data set 'nope'"):
        store.create_run("nope", RunSettings())
    for call in (store.answers, store.points, store.progress, store.version, store.request_cancel, store.delete_run):
        with pytest.raises(StoreError, match="no run 'nope'"):
            call("nope")


def test_runs_come_newest_first(store, small_dataset):
    key = store.add_dataset(small_dataset)
    ids = [store.create_run(key, RunSettings()) for _ in range(3)]
    assert [run.id for run in store.runs()] == ids[::-1]
    assert store.runs()[0] == store.run(ids[2])


def test_a_deleted_run_leaves_nothing_but_its_replies(store, small_run):
    store.delete_run(small_run.run_id)
    with store.read() as connection:
        left = {
            table.name: len(connection.execute(select(table)).all())
            for table in (tables.runs, tables.calls, tables.judgements, tables.points, tables.evidence, tables.scores)
        }
        assert left == dict.fromkeys(left, 0)
        assert len(connection.execute(select(tables.replies)).all()) == 4
    assert store.add_dataset(store.dataset(small_run.dataset_id)) == small_run.dataset_id


# judgements


def test_a_judgement_comes_back_whole(store, small_dataset):
    run_id = store.create_run(store.add_dataset(small_dataset), RunSettings())
    points = (
        DataPoint("1", "x", Tag.CORRECT, "because", 0, 3, "The", (
            Evidence("a", "lease", 0, 1, 0.9), Evidence("b"), Evidence("c", "nda")), 0.25),
        DataPoint("2", "y", None),
        DataPoint("3", "z", Tag.MISSING),
    )  # fmt: skip
    whole = Judgement("a1", "offline", Status.SCORED, points, None, None, ("k1", "k2"), ("a note",))
    assert store.save_judgement(run_id, whole, {"correctness": Score(1.0, numerator=1, denominator=1)})
    assert store.judgement(run_id, "a1", "offline") == whole
    assert store.judgement(run_id, "a2", "offline") is None
    assert store.finished(run_id) == {("a1", "offline")}


def test_the_version_changes_with_the_rows(store, small_run):
    run_id = small_run.run_id
    before = store.version(run_id)
    assert store.version(run_id) == before
    store.save_judgement(run_id, judged("a6", Tag.CORRECT), {})
    after = store.version(run_id)
    assert after != before
    store.delete_run(run_id)
    store.create_run(small_run.dataset_id, RunSettings(), run_id=run_id)
    for item_id in ("a1", "a2", "a3", "a4", "a5", "a6"):
        store.save_judgement(run_id, judged(item_id), {})
    assert store.version(run_id) not in (before, after)  # as many rows, but of another run


def test_an_answer_is_judged_once(store, small_run):
    before = store.judgement(small_run.run_id, "a1", "offline")
    version = store.version(small_run.run_id)
    assert not store.save_judgement(small_run.run_id, judged("a1", Tag.INCORRECT), {"correctness": Score(0.0)})
    assert store.judgement(small_run.run_id, "a1", "offline") == before
    assert store.version(small_run.run_id) == version


def test_a_judgement_is_kept_whole_or_not_at_all(store, small_run, monkeypatch):
    twice = {"correctness": Score(1.0)}
    row = {"judgement_id": 1, "metric": "correctness", "status": "scored"}
    monkeypatch.setattr("lemaj_core.store.results._score_rows", lambda judgement_id, scores: [row, row])
    with pytest.raises(StoreError, match="refused a row"):
        store.save_judgement(small_run.run_id, judged("a6", Tag.CORRECT), twice)
    assert store.judgement(small_run.run_id, "a6", "offline") is None
    assert ("a6", "offline") not in store.finished(small_run.run_id)
    with store.read() as connection:
        assert len(connection.execute(select(tables.points)).all()) == 7  # 3 + 2 + 1 + 1 of a1 to a4


def test_a_judgement_of_a_deleted_run_is_refused(store):
    with pytest.raises(StoreError):
        store.save_judgement("gone", judged("a1"), {})


def test_failed_answers_become_due_again(store, small_run):
    run_id = small_run.run_id
    store.save_judgement(run_id, Judgement("a6", "offline", Status.FAILED, (), FailureKind.TIMEOUT), {})
    assert store.run(run_id).state == "finished"
    version = store.version(run_id)
    assert store.forget_failed(run_id, kinds=[FailureKind.TIMEOUT]) == 1
    assert store.version(run_id) != version
    assert store.forget_failed(run_id, kinds=[FailureKind.QUOTA]) == 0
    assert store.forget_failed(run_id) == 1
    assert store.tries(run_id) == {("a5", "offline"): 1, ("a6", "offline"): 1}
    assert (store.run(run_id).done, store.run(run_id).failed) == (4, 0)
    store.save_judgement(run_id, Judgement("a6", "offline", Status.FAILED, (), FailureKind.TIMEOUT), {})
    store.forget_failed(run_id)
    assert store.tries(run_id)["a6", "offline"] == 2


# the ledger


def test_a_reply_is_found_by_whichever_run_asks(store, small_run):
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "details": {"x": math.nan}}
    reply = Reply("text \x00", "stop", usage, 0.25, 1.5, "m-2026")
    kept = store.add_call(small_run.run_id, asked("q"), reply)
    assert kept == replace(reply, text="text \ufffd", usage=usage | {"details": {"x": None}})
    assert store.cached_reply(asked("q").key()) == kept
    assert store.cached_reply(asked("other").key()) is None
    assert store.known_keys([asked("q").key(), asked("other").key()]) == {asked("q").key()}


CHANGES = (
    {"model": "n"}, {"messages": ({"role": "user", "content": "q."},)}, {"parameters": {"temperature": 1}},
    {"base_url": "http://other"}, {"schema": {"type": "object"}}, {"schema_version": "2"}, {"repeat": 1},
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_any_change_of_a_request_asks_anew(store, small_run, change):
    store.add_call(small_run.run_id, asked("q"), Reply("r"))
    assert store.cached_reply(asked("q", **change).key()) is None


def test_progress_counts_what_was_really_asked(store, small_run):
    run_id = small_run.run_id  # four calls of the offline judge, 10 tokens in, 5 out, free
    usage = {"prompt_tokens": 100, "completion_tokens": 50}
    store.add_call(run_id, asked("q"), Reply("r", usage=usage, cost=0.25, model="m"))
    store.add_call(run_id, asked("q"), Reply("r", usage=usage, cost=0.25, model="m"), cached=True)
    store.add_call(run_id, asked("s"), failure=CallFailed(FailureKind.TIMEOUT, "no reply after 120 s"))
    found = store.progress(run_id)
    assert (found.total, found.done, found.scored, found.failed) == (6, 5, 4, 1)
    assert found.failures == {FailureKind.MALFORMED: 1}
    assert (found.calls, found.cached) == (6, 1)  # 4 + 1 answered + 1 failed
    assert (found.tokens_in, found.tokens_out) == (140, 70)  # 4 * 10 + 100, 4 * 5 + 50
    assert found.cost == 0.25
    assert found.unpriced == ()
    assert found.started <= found.last_reply
    assert found.seconds == (found.last_reply - found.started).total_seconds()
    assert store.spent(run_id) == 0.25
    assert store.dearest(run_id) == {"m": 0.25, "offline": 0.0}


def test_one_unknown_price_makes_the_cost_unknown(store, small_run):
    store.add_call(small_run.run_id, asked("q"), Reply("r", usage={"input_tokens": 4, "output_tokens": 2}))
    found = store.progress(small_run.run_id)
    assert (found.cost, found.unpriced, found.tokens_in, found.tokens_out) == (None, ("m",), 44, 22)


def test_progress_of_an_untouched_run(store, small_dataset):
    found = store.progress(store.create_run(store.add_dataset(small_dataset), RunSettings()))
    assert (found.state, found.total, found.done, found.calls, found.cost) == ("waiting", 6, 0, 0, 0.0)
    assert (found.started, found.last_reply, found.seconds) == (None, None, 0.0)


def test_raw_replies_come_in_the_order_asked(store, small_run):
    for words in ("second", "first"):
        store.add_call(small_run.run_id, asked(words), Reply(f"reply to {words}"))
    calls = (asked("first").key(), asked("second").key(), "sha256:lost")
    store.save_judgement(small_run.run_id, judged("a6", calls=calls), {})
    replies = store.raw_replies(small_run.run_id, "a6", "offline")
    assert [reply.text for reply in replies] == ["reply to first", "reply to second"]
    assert store.raw_replies(small_run.run_id, "a6", "nobody") == []


def test_open_calls_are_those_of_answers_without_judgement(store, small_run):
    run_id = small_run.run_id
    for item_id in ("a1", "a6"):  # a1 is judged, a6 is not
        store.add_call(run_id, asked(item_id), Reply("r"), item_id=item_id, judge="offline", attempt=1)
    store.add_call(run_id, asked("x"), failure=CallFailed("timeout", "slow"), item_id="a6", judge="offline")
    assert store.open_calls(run_id) == {
        ("a6", "offline"): [(asked("a6").key(), 1, None, None), (asked("x").key(), 0, "timeout", "slow")]
    }


# the file


def test_the_schema_is_pinned(tmp_path):
    """A change here needs a migration: stores of users have the tables as they stand in golden/store_schema.sql."""
    open_store(f"sqlite:///{tmp_path / 's.db'}").close()
    with sqlite3.connect(tmp_path / "s.db") as connection:
        found = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name")]
    connection.close()
    lines = "\n".join("\n".join(line.strip() for line in sql.splitlines() if line.strip()) for sql in found)
    assert lines + "\n" == (GOLDEN / "store_schema.sql").read_text()


def test_both_databases_have_the_same_tables(store):
    with store.read() as connection:
        found = inspect(connection)
        for table in tables.metadata.sorted_tables:
            assert {column["name"] for column in found.get_columns(table.name)} == set(table.columns.keys())


def test_migrations_are_applied_once_and_in_order(store, monkeypatch):
    ran = []

    def add_column(connection):
        ran.append("note")
        connection.execute(text("ALTER TABLE runs ADD COLUMN note TEXT"))

    known = list(MIGRATIONS)
    steps = {name: lambda connection, name=name: ran.append(name) for name in known}
    steps["9999_note"] = add_column
    monkeypatch.setattr("lemaj_core.store.connection.MIGRATIONS", steps)
    for _ in range(2):
        with open_store(store.url) as later, later.read() as connection:
            names = connection.scalars(select(tables.migrations.c.name).order_by(tables.migrations.c.name)).all()
            assert names == [*known, "9999_note"]
            assert "note" in {column["name"] for column in inspect(connection).get_columns("runs")}
    assert ran == ["note"]


def test_a_store_of_a_newer_program_is_refused(store):
    with store.write() as connection:
        connection.execute(insert(tables.migrations).values(name="9999_later", applied=datetime.now(UTC)))
    with pytest.raises(StoreError, match=r"newer than this program \(it has 9999_later\)"):
        open_store(store.url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "not the URL of a store"),
        ("mysql://x/y", "SQLite or PostgreSQL"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite:////proc/nowhere/s.db", "cannot be made"),
        ("sqlite:////dev/null", "cannot be opened"),
    ],
)
def test_an_address_that_is_no_store_is_refused_with_a_reason(url, message):
    with pytest.raises(StoreError, match=message):
        open_store(url)


def test_the_folder_of_a_store_is_made(tmp_path):
    with open_store(f"sqlite:///{tmp_path / 'a' / 'b' / 's.db'}") as store:
        assert store.runs() == []


def test_the_environment_names_the_store(tmp_path, monkeypatch):
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'named.db'}")
    open_store().close()
    assert (tmp_path / "named.db").exists()


def test_a_password_is_not_shown():
    with pytest.raises(StoreError, match=r"someone:\*\*\*@127") as caught:
        open_store("postgresql://someone:secret-word@127.0.0.1:1/nothing")
    assert "secret-word" not in str(caught.value)


def test_sqlite_writes_ahead(tmp_path):
    with open_store(f"sqlite:///{tmp_path / 's.db'}") as store, store.read() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_readers_do_not_wait_for_a_writer(store, small_run):
    with store.write() as connection:
        connection.execute(update(tables.runs).values(name="half done"))
        assert store.run(small_run.run_id).name == "small run"
        assert len(store.answers(small_run.run_id)) == 6
    assert store.run(small_run.run_id).name == "half done"
