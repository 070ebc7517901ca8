"""Experts on the command line: labels out and in again exactly, nothing overwritten by accident, agreement."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from lemaj_core.__main__ import app
from lemaj_core.analysis import label_files
from lemaj_core.errors import LemajError, SettingsError
from lemaj_core.metrics.agreement import pearson
from lemaj_core.store import Label, open_store
from lemaj_core.types import DataPoint, Evidence, Tag

WHEN = datetime(2026, 3, 1, 12, 4, 31, 250_000, tzinfo=UTC)


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def labels(small_dataset):
    """Labels with everything that is hard to write into a cell."""
    lease = small_dataset.documents["lease"].text
    at = lease.index("60 days")
    points = (
        DataPoint("p1", "No, the landlord cannot terminate.", Tag.INCORRECT, "", 0, 34,
                  "No, the landlord cannot terminate.", (Evidence("60 days", "lease", at, at + 7),)),
        DataPoint("h1", '=HYPERLINK("x")\n"quoted", 😀', Tag.MISSING),
    )  # fmt: skip
    return [
        Label("a1", "ben", "scratch", (), 0.25, None, "'=1+1", 0.1 + 0.2, None, None, None, WHEN, WHEN, None),
        Label("a3", "@ann", "second", points, None, 0.75, "=SUM(A1)\r\nand more", 61.5, "5ma11000", "offline",
              points[:1], WHEN, WHEN, WHEN),
        Label("a3", "ben", "tagged", points[:1], 1.0, 0.0, "", 3.0, "5ma11000", "offline", (), WHEN, WHEN, WHEN),
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_labels_come_back_exactly_as_they_went_out(small_run, labels, tmp_path, ending):
    small_run.store.add_labels(small_run.dataset_id, labels)
    path, again = tmp_path / f"labels.{ending}", tmp_path / f"again.{ending}"
    url = small_run.store.url
    done = run("annotations", "export", path, "--run", small_run.run_id, "--store", url, "--json")
    assert (done.exit_code, json.loads(done.stdout)["labels"]) == (0, 3)
    other = f"sqlite:///{tmp_path / 'other.db'}"
    with open_store(other) as store:
        dataset = store.add_dataset(small_run.store.dataset(small_run.dataset_id))
        done = run("annotations", "import", path, "--dataset", dataset, "--store", other, "--json")
        assert json.loads(done.stdout) == {"dataset": dataset, "labels": 3, "new": 3, "finished": 2}
        assert store.labels(dataset) == labels
    run("annotations", "export", again, "--dataset", dataset, "--store", other)
    assert again.read_bytes() == path.read_bytes()
    done = run("annotations", "import", path, "--dataset", dataset, "--store", other, "--json")
    assert json.loads(done.stdout)["new"] == 0


def test_a_spreadsheet_runs_no_cell(labels, tmp_path):
    label_files.write(labels, tmp_path / "l.csv")
    text = (tmp_path / "l.csv").read_text(encoding="utf-8")
    assert ",'@ann," in text
    assert "'=SUM(A1)" in text
    assert "''=1+1" in text


def test_an_import_overwrites_only_on_purpose(small_run, labels, tmp_path):
    store, dataset = small_run.store, small_run.dataset_id
    store.add_labels(dataset, labels)
    path = tmp_path / "l.jsonl"
    label_files.write([replace(labels[0], note="new")], path)
    done = run("annotations", "import", path, "--dataset", dataset, "--store", store.url)
    assert done.exit_code != 0
    assert store.labels(dataset) == labels
    done = run("annotations", "import", path, "--dataset", dataset, "--store", store.url, "--overwrite")
    assert (done.exit_code, store.label(dataset, "a1", "ben").note) == (0, "new")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"annotator": "x"}', "line 1: no label: no item_id"),
        ('{"item_id": "a1", "annotator": "x", "tag": 1}', "unknown tag"),
        ('{"item_id": "zz", "annotator": "x"}', "zz"),
        ('{"item_id": "a1", "annotator": "x", "correctness": "good"}', "good"),
        ('{"item_id": "a1", "annotator": "x"}\n{"item_id": "a1", "annotator": "x"}', "lines 1 and 2"),
        ("[1]", "expected an object"),
        ("{", "JSONL"),
    ],
)
def test_a_line_that_is_no_label_is_named(small_run, tmp_path, line, words):
    path = tmp_path / "l.jsonl"
    path.write_text(line, encoding="utf-8")
    store, dataset = small_run.store, small_run.dataset_id
    with pytest.raises(LemajError, match=words):
        label_files.read(path, lambda item: store.item(dataset, item), lambda name: store.document(dataset, name))


def test_a_quote_that_stands_elsewhere_is_refused(small_run, labels, tmp_path):
    wrong = replace(labels[2], points=(replace(labels[2].points[0], start=1, end=34),))
    label_files.write([wrong], tmp_path / "l.csv")
    done = run("annotations", "import", tmp_path / "l.csv", "--run", small_run.run_id, "--store", small_run.store.url)
    assert "was expected at 1 to 34" in str(done.exception)
    assert small_run.store.labels(small_run.dataset_id) == []


@pytest.mark.parametrize("words", [(), ("--run", "5ma11000", "--dataset", "x"), ("--dataset", "x"), ("--run", "x")])
def test_labels_of_nothing_are_an_error(small_run, tmp_path, words):
    done = run("annotations", "export", tmp_path / "l.csv", *words, "--store", small_run.store.url)
    assert isinstance(done.exception, LemajError)


def finished(item, who, correctness, relevance, *points):
    return Label(item, who, "scratch", points, correctness, relevance, started=WHEN, saved=WHEN, finished=WHEN)


def test_agreement_with_an_annotator_a_file_and_the_data(small_run, tmp_path):
    store = small_run.store
    point = DataPoint("p", "No, the landlord cannot terminate.", Tag.CORRECT)
    made = [
        finished("a1", "ann", 1.0, 0.75),
        finished("a2", "ann", 0.75, 1.0),
        finished("a3", "ann", 0.25, 0.5, point),
        Label("a4", "ann", "scratch", started=WHEN, saved=WHEN),
    ]
    store.add_labels(small_run.dataset_id, made)
    done = run("agreement", small_run.run_id, "--with", "ann", "--store", store.url, "--json")
    assert done.exit_code == 0, done.exception
    found = json.loads(done.stdout)
    # the judge's correctness of a1, a2, a3 is 1, 1, 0; the expert's 1, .75, .25
    assert found["scores"]["correctness"]["pearson"]["value"] == pearson([1.0, 1.0, 0.0], [1.0, 0.75, 0.25]).value
    # buckets agree for a1 only
    assert found["scores"]["correctness"]["accuracy"]["value"] == pytest.approx(1 / 3)
    assert found["points"]["pairs"] == 1
    assert found["points"]["same_tag"] == 0
    assert found["confusion"]["incorrect"]["correct"] == 1
    path = tmp_path / "ann.csv"
    run("annotations", "export", path, "--run", small_run.run_id, "--store", store.url)
    by_file = json.loads(run("agreement", small_run.run_id, "--with", path, "--store", store.url, "--json").stdout)
    assert by_file["scores"] == found["scores"]
    assert "Pearson r" in run("agreement", small_run.run_id, "--with", "ann", "--store", store.url).stdout
    default = json.loads(run("agreement", small_run.run_id, "--store", store.url, "--json").stdout)
    assert default["n"] == 3


def test_agreement_without_an_expert_is_incomplete(small_run, tmp_path):
    (tmp_path / "none.jsonl").write_text("", encoding="utf-8")
    words = (small_run.run_id, "--store", small_run.store.url)
    assert run("agreement", *words, "--with", tmp_path / "none.jsonl").exit_code == 2
    for wrong in (("--with", "nobody"), ("--judge", "nobody")):
        assert isinstance(run("agreement", *words, *wrong).exception, SettingsError)
