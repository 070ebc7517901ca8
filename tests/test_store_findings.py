"""What is found out about an answer beside its data points: stored with it, counted with it, retried with it."""

import pytest
from sqlalchemy import delete, inspect, text

from lemaj_core.errors import CallFailed
from lemaj_core.pipeline import evaluate
from lemaj_core.store import open_store, tables
from lemaj_core.store.connection import MIGRATIONS
from lemaj_core.types import DataPoint, Dataset, FailureKind, Finding, Item, Judgement, RunSettings, Score, Status, Tag

LONG = "The tenant must give the landlord thirty days of written notice before the lease may be ended by either side. "
SETTINGS = RunSettings(metrics=("data_points", "readability"))


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        yield opened


def filled(store, count=3, metrics=SETTINGS.metrics):
    items = tuple(Item(f"a{n}", "What notice?", LONG * 2) for n in range(count))
    return store.create_run(store.add_dataset(Dataset("d", items)), RunSettings(metrics=metrics))


def finding(item_id, status=Status.SCORED, by="textstat", **changes):
    detail = {"words": 40, "sentences": 2, "syllables": 50, "odd": "\ud800\x00", "nan": float("nan")}
    return Finding(item_id, "readability", by, status, detail, **changes)


def test_findings_come_back_with_their_detail(store):
    run = filled(store)
    given = finding("a1", notes=("n",), calls=("sha256:1",))
    assert store.save_judgement(run, Judgement("a1", "offline", Status.SCORED), {"fre": Score(2.0)}, [given])
    found = store.findings(run, "a1", "offline")["readability"]
    # what no database takes is replaced: a lone surrogate, NUL, not a number
    assert found[0].detail == {"words": 40, "sentences": 2, "syllables": 50, "odd": "\ufffd\ufffd", "nan": None}
    assert (found[0].notes, found[0].calls, found[0].status) == (("n",), ("sha256:1",), Status.SCORED)
    assert store.run_findings(run, "readability", "offline") == found
    assert store.findings(run, "a0", "offline") == {}
    frame = store.answers(run)
    assert frame.set_index("item_id").loc["a1", "fre"] == 2.0


def test_findings_go_in_once_and_leave_with_their_answer(store):
    run = filled(store)
    judgement = Judgement("a1", "offline", Status.SCORED)
    assert store.save_judgement(run, judgement, {}, [finding("a1"), finding("a1", by="other")])
    assert not store.save_judgement(run, judgement, {}, [finding("a1", by="third")])
    assert [one.by for one in store.run_findings(run, "readability", "offline")] == ["other", "textstat"]
    store.delete_run(run)
    with store.read() as connection:
        assert connection.execute(tables.findings.select()).all() == []


def test_a_failed_finding_makes_its_answer_count_as_failed_and_due_again(store):
    run = filled(store)
    good = Judgement("a0", "offline", Status.SCORED, (DataPoint("p", "x", Tag.CORRECT),))
    store.save_judgement(run, good, {}, [finding("a0")])
    bad = finding("a1", Status.FAILED, failure=FailureKind.TIMEOUT, reason="late")
    store.save_judgement(run, Judgement("a1", "offline", Status.SCORED), {}, [bad])
    worse = Judgement("a2", "offline", Status.FAILED, failure=FailureKind.QUOTA, reason="none left")
    store.save_judgement(run, worse, {}, [finding("a2", Status.FAILED, failure=FailureKind.TIMEOUT)])
    assert (store.run(run).done, store.run(run).failed) == (3, 2)
    assert store.progress(run).failures == {FailureKind.TIMEOUT: 1, FailureKind.QUOTA: 1}
    assert store.forget_failed(run, [FailureKind.EMPTY]) == 0
    assert store.forget_failed(run, [FailureKind.TIMEOUT]) == 2
    assert store.finished(run) == {("a0", "offline")}
    assert store.tries(run) == {("a1", "offline"): 1, ("a2", "offline"): 1}


def test_an_older_store_gets_the_table_it_lacks(store_url):
    with open_store(store_url) as opened, opened.write() as connection:
        connection.execute(text("DROP TABLE findings"))
        connection.execute(delete(tables.migrations).where(tables.migrations.c.name == "0002_findings"))
    assert "0002_findings" in MIGRATIONS
    with open_store(store_url) as opened:
        run = filled(opened)
        opened.save_judgement(run, Judgement("a1", "offline", Status.SCORED), {}, [finding("a1")])
        assert len(opened.run_findings(run, "readability", "offline")) == 1
        with opened.read() as connection:
            columns = {column["name"] for column in inspect(connection).get_columns("findings")}
            assert columns == set(tables.findings.columns.keys())


class Breaks:
    """An examiner with a defect, or one whose call fails."""

    group, version = "readability", "1"

    def __init__(self, error):
        self.error = error

    async def examine(self, item, document, ask, *, repeat=0):
        raise self.error

    def requests(self, item, document):
        return []


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (ValueError("no such word"), FailureKind.INTERNAL, "ValueError: no such word"),
        (CallFailed(FailureKind.QUOTA, "nothing left"), FailureKind.QUOTA, "nothing left"),
    ],
)
def test_an_examiner_that_breaks_fails_its_own_scores_only(store, monkeypatch, error, kind, reason):
    monkeypatch.setattr("lemaj_core.judge.examine.examiners", lambda judge, settings: [Breaks(error)])

    class Right:
        name, approximate, version = "right", False, "1"

        async def judge(self, item, document, ask, *, repeat=0):
            return Judgement(item.id, self.name, Status.SCORED, (DataPoint("p", "x", Tag.CORRECT),))

    data = Dataset("d", (Item("a", "Q?", LONG),))
    run = evaluate(data, ["right"], SETTINGS.metrics, store=store, judge_objects={"right": Right()})
    row = store.answers(run.id).iloc[0]
    assert (row["correctness"], row["correctness_status"]) == (1.0, "scored")
    assert (row["fre_status"], row["fre_reason"]) == ("failed", reason)
    assert run.failed == 1
    (found,) = store.findings(run.id, "a", "right")["readability"]
    assert found.failure is kind


def test_readability_alone_asks_no_judge(store):
    class Never:
        name, approximate, version = "never", False, "1"

        async def judge(self, item, document, ask, *, repeat=0):
            raise AssertionError("asked")

    data = Dataset("d", (Item("a", "Q?", LONG * 2), Item("b", "Q?", "Too short.")))
    run = evaluate(data, ["never"], ["readability"], store=store, judge_objects={"never": Never()})
    frame = store.answers(run.id)
    assert frame["fre_status"].tolist() == ["scored", "undefined"]
    assert frame["fre_reason"].iloc[1] == "too short: 2 words, at least 30 are needed"
    assert "correctness" not in frame.columns
    assert (run.failed, run.done) == (0, 2)
