"""Expert labels in the store: every change kept, nobody overwrites anybody, and only finished labels count."""

import threading
from dataclasses import replace

import pytest
from sqlalchemy import delete, inspect, text

from lemaj_core.errors import StoreError
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.store import Label, open_store, tables
from lemaj_core.types import Annotation, DataPoint, Dataset, Evidence, Item, Judgement, RunSettings, Status, Tag

WRITERS, CHANGES = 20, 15


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        yield opened


def filled(store, annotations=()):
    items = tuple(Item(f"a{n}", "What notice?", "Thirty days. In writing.") for n in range(3))
    return store.add_dataset(Dataset("d", items, annotations=tuple(annotations)))


def point(name, tag=Tag.CORRECT, **more):
    return DataPoint(name, f"claim {name}", tag, **more)


def adding(new):
    return lambda label: replace(label, points=(*label.points, new))


def finish(label):
    return replace(label, finished=label.saved)


def test_a_change_is_there_at_once_and_keeps_what_was_said_before(store):
    dataset = filled(store)
    start = Label("a1", "ann", "segmented", (point("p1", None),), run_id="r", judge="offline")
    evidence = Evidence("Thirty days", "lease", 3, 14)
    saved = store.change_label(dataset, start, adding(point("h1", evidence=(evidence,), start=0, end=12)), 2.5)
    assert store.label(dataset, "a1", "ann") == saved
    again = store.change_label(dataset, start, lambda label: replace(label, correctness=0.25, note="thin\ud800"), 4)
    assert [each.id for each in again.points] == ["p1", "h1"]
    found = store.label(dataset, "a1", "ann")
    assert (found.correctness, found.note, found.seconds) == (0.25, "thin\ufffd", 6.5)
    assert (found.run_id, found.judge, found.points[1].evidence) == ("r", "offline", (evidence,))
    assert found.started == saved.started <= found.saved
    assert store.label(dataset, "a1", "ben") is None
    assert store.labelled(dataset, "ann") == {"a1": False}


def together(work, count):
    """Run ``work(number)`` in so many threads at once and give back what they raised."""
    raised, gate = [], threading.Barrier(count)

    def one(number):
        gate.wait()
        try:
            work(number)
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_twenty_annotators_at_once_lose_nothing(store, store_url):
    dataset = filled(store)

    def annotate(number):
        with open_store(store_url) as own:
            for step in range(CHANGES):
                start = Label(f"a{step % 3}", f"expert {number}", "scratch")
                own.change_label(dataset, start, adding(point(f"{number}-{step}")), 1.0)

    assert together(annotate, WRITERS) == []
    labels = store.labels(dataset)
    assert len(labels) == WRITERS * 3
    for label in labels:
        number, item = label.annotator.removeprefix("expert "), int(label.item_id[1:])
        assert [each.id for each in label.points] == [f"{number}-{step}" for step in range(CHANGES) if step % 3 == item]
        assert label.seconds == 5.0  # five changes of one second each


def test_twenty_windows_of_one_annotator_on_one_answer_lose_nothing(store, store_url):
    dataset = filled(store)

    def annotate(number):
        with open_store(store_url) as own:
            for step in range(5):
                own.change_label(dataset, Label("a1", "ann", "scratch"), adding(point(f"{number}-{step}")), 0.5)

    assert together(annotate, WRITERS) == []
    label = store.label(dataset, "a1", "ann")
    assert sorted(each.id for each in label.points) == sorted(f"{n}-{s}" for n in range(WRITERS) for s in range(5))
    assert label.seconds == 50.0


def test_only_finished_labels_count_and_uploaded_ones_come_first(store):
    uploaded = Annotation("a0", "uploaded", (point("u", Tag.INCORRECT),))
    dataset = filled(store, [uploaded])
    run = store.create_run(dataset, RunSettings())
    for n in range(3):
        store.save_judgement(run, Judgement(f"a{n}", "offline", Status.SCORED), score_tags([])._asdict())
    before = store.version(run)
    for item in ("a0", "a1"):
        tags = (point("p1"), point("p2", Tag.INCORRECT))
        store.change_label(dataset, Label(item, "ann", "scratch"), lambda label, tags=tags: replace(label, points=tags))
    assert store.annotations(dataset) == [uploaded]
    assert store.answers(run)["human_correctness"].tolist()[0] == 0.0
    assert store.answers(run)["human_correctness"].isna().tolist() == [False, True, True]
    assert store.version(run) == before
    for item in ("a0", "a1"):
        store.change_label(dataset, Label(item, "ann", "scratch"), finish)
    assert store.version(run) != before  # so that no page keeps the old scores
    assert [(one.item_id, one.annotator) for one in store.annotations(dataset)] == [
        ("a0", "uploaded"),
        ("a0", "ann"),
        ("a1", "ann"),
    ]
    assert [one.annotator for one in store.annotations(dataset, "a1")] == ["ann"]
    # a0 keeps the uploaded tags: 0 / (0 + 1); a1 has the new ones: 1 / (1 + 1)
    assert store.answers(run)["human_correctness"].tolist()[:2] == [0.0, 0.5]
    assert store.dataset(dataset).annotations == (uploaded,)


@pytest.mark.parametrize(
    ("start", "change", "words"),
    [
        (Label("zz", "ann", "scratch"), lambda label: label, "no answer 'zz'"),
        (Label("a1", "ann", "guess"), lambda label: label, "no mode"),
        (Label("a1", " ", "scratch"), lambda label: label, "annotator"),
        (Label("a1", "ann", "scratch"), lambda label: replace(label, relevance=0.3), "relevance 0.3"),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_nothing(store, start, change, words):
    dataset = filled(store)
    with pytest.raises(StoreError, match=words):
        store.change_label(dataset, start, change)
    assert store.labels(dataset) == []


def test_labels_from_a_file_go_in_all_or_none(store):
    dataset = filled(store)
    first, second = Label("a0", "ann", "scratch", (point("p"),)), Label("a1", "ann", "scratch")
    moment = store.change_label(dataset, Label("a2", "ann", "scratch"), lambda label: label).saved
    labels = [replace(label, started=moment, saved=moment) for label in (first, second)]
    assert store.add_labels(dataset, labels) == 2
    assert store.add_labels(dataset, labels) == 0
    other = [replace(labels[0], item_id="a2", started=moment, saved=moment), replace(labels[1], note="else")]
    with pytest.raises(StoreError, match="another label of answer 'a2'"):
        store.add_labels(dataset, other)
    assert [label.note for label in store.labels(dataset)] == ["", "", ""]
    assert store.add_labels(dataset, other, overwrite=True) == 2
    assert store.label(dataset, "a1", "ann").note == "else"
    with pytest.raises(StoreError, match="no answer 'b'"):
        store.add_labels(dataset, [replace(labels[0], note="new"), replace(labels[1], item_id="b")], overwrite=True)
    assert store.label(dataset, "a0", "ann").note == ""


def test_an_older_store_gets_the_same_table(store_url):
    def columns(opened):
        with opened.read() as connection:
            found = inspect(connection).get_columns("expert_labels")
        return {each["name"]: (each["nullable"], type(each["type"]).__name__) for each in found}

    with open_store(store_url) as opened:
        new = columns(opened)
        with opened.write() as connection:
            connection.execute(text("DROP TABLE expert_labels"))
            connection.execute(delete(tables.migrations).where(tables.migrations.c.name == "0004_expert_labels"))
    with open_store(store_url) as opened:
        assert {name: each[0] for name, each in columns(opened).items()} == {
            name: each[0] for name, each in new.items()
        }
        dataset = filled(opened)
        saved = opened.change_label(dataset, Label("a1", "ann", "scratch"), finish, 1)
        assert opened.label(dataset, "a1", "ann") == saved
        assert saved.saved.tzinfo is not None
