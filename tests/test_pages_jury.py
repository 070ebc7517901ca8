"""The jury as a reader and a command line meet it: three judges whose verdicts are known by hand."""

import json
import re
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from components import cached
from components.figures import jury as figures
from components.jury import disagreements
from components.words import plain
from lemaj_core.__main__ import app
from lemaj_core.analysis import jury
from lemaj_core.analysis.jury_read import jurors_of, sit
from lemaj_core.errors import SettingsError
from lemaj_core.pipeline import evaluate
from lemaj_core.store import open_store
from lemaj_core.types import DataPoint, Dataset, FailureKind, Item, Judgement, Status, Tag

ROOT = Path(__file__).resolve().parent.parent
ANSWER = "The rent is EUR 2,000. It is due <b>monthly</b>."
JURORS = ["m", "m#2", "other"]
# tags of the two sentences, by juror and answer; None: failed
TAGS = {
    "m": {"a": "CC", "b": "CI", "c": "CC"},
    "m#2": {"a": "CC", "b": "II", "c": "CR"},
    "other": {"a": "CC", "b": "CI", "c": None},
}
WORDS = {"C": Tag.CORRECT, "I": Tag.INCORRECT, "R": Tag.IRRELEVANT}


class Known:
    """A judge whose verdicts stand above."""

    approximate, version = False, "1"

    def __init__(self, name):
        self.name = name

    async def judge(self, item, document, ask, *, repeat=0):
        tags = TAGS[self.name][item.id]
        if tags is None:
            return Judgement(item.id, self.name, Status.FAILED, (), FailureKind.TIMEOUT, "late")
        places = ((0, 22), (23, len(ANSWER)))
        points = tuple(
            DataPoint(
                f"p{n}", ANSWER[start:end], WORDS[tag], f"{self.name} <i>says</i> so", start, end, ANSWER[start:end]
            )
            for n, (tag, (start, end)) in enumerate(zip(tags, places, strict=True))
        )
        kin = ("judge and answer model are of one family (openai): such judges tend to favour their own",)
        return Judgement(item.id, self.name, Status.SCORED, points, notes=kin if self.name == "m" else ())


@pytest.fixture
def home(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    monkeypatch.setenv("LEMAJ_STORE", url)
    cached.clear()
    st.cache_resource.clear()
    yield url
    cached.clear()
    st.cache_resource.clear()


def judged(home, jurors):
    items = tuple(Item(key, f"What of <i>{key}</i>?", ANSWER) for key in "abc")
    with open_store(home) as store:
        return evaluate(Dataset("d", items), jurors, store=store, judge_objects={n: Known(n) for n in jurors}).id


@pytest.fixture
def run(home):
    return judged(home, JURORS)


@pytest.fixture
def heard(home, run):
    with open_store(home) as store:
        return sit(store, run, JURORS)


def opened(**address):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params.update(address)
    at.switch_page("pages/jury.py")
    at.run()
    assert not at.exception, [found.message for found in at.exception]
    return at


def said(at):
    kinds = ("caption", "markdown", "info", "warning", "subheader", "success")
    return "\n".join(element.value for kind in kinds for element in getattr(at, kind))


def metric(at, label):
    return next(one.value for one in at.metric if one.label == label)


def test_a_failed_juror_does_not_vote(heard):
    assert [(one.item_id, one.number, dict(one.votes), one.tag, one.alone) for one in heard] == [
        ("a", 1, {"m": "correct", "m#2": "correct", "other": "correct"}, "correct", None),
        ("a", 2, {"m": "correct", "m#2": "correct", "other": "correct"}, "correct", None),
        ("b", 1, {"m": "correct", "m#2": "incorrect", "other": "correct"}, "correct", "m#2"),
        ("b", 2, {"m": "incorrect", "m#2": "incorrect", "other": "incorrect"}, "incorrect", None),
        ("c", 1, {"m": "correct", "m#2": "correct"}, "correct", None),
        ("c", 2, {"m": "correct", "m#2": "irrelevant"}, "undecided", None),
    ]


def test_the_page_says_what_the_jury_says(run):
    at = opened()
    # pairs that agree: 1, 1, 1/3, 1, 1, 0; their mean is 72.2 %
    assert metric(at, "Agreement") == "72.2 %"
    assert metric(at, "Of one mind") == "66.7 %"
    assert metric(at, "Undecided") == "1"
    # a: 1, b: 1/2, c waits
    assert metric(at, "Correctness, by the jury") == "0.75"
    words = said(at)
    assert "16.7 % of 6 data points, in 1 answers" in words
    assert "2 of 6 data points got another vote at least once" in words
    assert "flip rate 33.3 %" in words
    assert "m judged 3 answers of a model of its own family" in words
    assert "2 data points in 2 answers" in words
    assert "1 answers have a data point that the jury leaves undecided" in words


def test_text_of_files_and_judges_stays_text(run):
    at = opened()
    words = said(at)
    assert f"**{plain(ANSWER[23:])}**" in words
    assert plain("m#2 <i>says</i> so") in words
    assert plain("What of <i>c</i>?") in words
    assert not re.search(r"(?<!\\)<[bi]>", words)
    assert not at.get("image")


@pytest.mark.parametrize(
    ("kind", "who", "shown"),
    [("all", None, ["b1", "c2"]), ("undecided", None, ["c2"]), ("alone", None, ["b1"]), ("alone", "m#2", ["b1"]),
     ("alone", "m", []), ("tag", None, ["b1", "c2"]), ("absent", None, [])],
)  # fmt: skip
def test_disagreements_by_kind(heard, kind, who, shown):
    assert [f"{one.item_id}{one.number}" for one in disagreements(heard, kind, who)] == shown


def test_the_rule_is_in_the_address(run):
    at = opened(rule="unanimous")
    assert metric(at, "Undecided") == "2"
    at = opened(kind="One juror alone")
    assert "1 data points in 1 answers" in said(at)


def test_weights_change_the_verdict(run):
    at = opened(rule="weighted")
    at.number_input(key="weight_m#2").set_value(5.0).run()
    assert not at.exception
    # the second asking outvotes the others: nothing is undecided, and its tags are the jury's
    assert metric(at, "Undecided") == "0"
    # a: 2/2, b: 0/2, c: 1/1 of what is checkable
    assert metric(at, "Correctness, by the jury") == "0.67"


def test_one_judge_is_no_jury(home):
    judged(home, ["other"])
    at = opened()
    assert "Choose a second judge" in said(at)
    assert not at.metric


def test_figures_hold_the_numbers(heard):
    laid = jury.table(heard, JURORS)
    matrix = figures.pairs(jury.pairwise(laid, JURORS)).data[0]
    assert [list(row) for row in matrix.text] == [["", "", ""], ["67%", "", ""], ["100%", "75%", ""]]
    bars = figures.lonely(jury.alone_counts(laid, JURORS)).data[0]
    assert list(bars.x) == pytest.approx([0, 1 / 6, 0])
    assert list(bars.text) == ["0 of 6", "1 of 6", "0 of 4"]
    drawn = figures.votes(laid, JURORS)
    correct = next(trace for trace in drawn.data if "correct" in trace.name)
    assert list(correct.x) == pytest.approx([5 / 6, 3 / 6, 3 / 4, 4 / 6])
    assert correct.y[-1] == "the jury, n = 6"
    totals = [sum(trace.x[row] for trace in drawn.data) for row in range(4)]
    assert totals == pytest.approx([1, 1, 1, 1])


def test_the_command_says_the_same(home, run):
    done = CliRunner().invoke(app, ["jury", run, "--json", "--store", home])
    assert done.exit_code == 0, done.output
    body = json.loads(done.stdout)
    assert (body["answers"], body["points"], body["undecided"], body["queue"]) == (3, 6, 1, ["c"])
    assert body["alone"] == {"m": 0, "m#2": 1, "other": 0}
    assert body["agreement"] == pytest.approx((1 + 1 + 1 / 3 + 1 + 1 + 0) / 6)
    assert [(one["juror"], one["repeats"], one["flipped"]) for one in body["repeats"]] == [("m", 2, 2)]
    weighted = ["jury", run, "--rule", "weighted", "--weight", "m#2=5", "--store", home]
    assert "0 answers for a person" in CliRunner().invoke(app, weighted).stdout
    words = CliRunner().invoke(app, ["jury", run, "--store", home]).stdout
    assert "3 jurors, 3 answers, 6 data points, by majority" in words
    assert "1 answers for a person: c" in words


@pytest.mark.parametrize(
    "words", [["--rule", "loudest"], ["--weight", "m=x"], ["--weight", "nobody=1"], ["--judge", "m"], ["--judge", "x"]]
)
def test_what_cannot_be_is_refused(home, run, words):
    done = CliRunner().invoke(app, ["jury", run, "--store", home, *words])
    assert isinstance(done.exception, SettingsError)


def test_named_jurors_sit(home, run):
    with open_store(home) as store:
        assert jurors_of(store, run, ["other", "m"]) == ["m", "other"]


def test_prompts_on_the_command_line(home, tmp_path):
    own = CliRunner().invoke(app, ["prompts", "--show", "own", "--store", home]).stdout
    assert own.startswith("You are checking an answer")
    copy = tmp_path / "copy.txt"
    copy.write_text(own.replace("careful legal editor", "hasty clerk"), encoding="utf-8")
    version = (
        CliRunner().invoke(app, ["prompts", "--add", str(copy), "--note", "hasty", "--store", home]).stdout.strip()
    )
    listed = json.loads(CliRunner().invoke(app, ["prompts", "--json", "--store", home]).stdout)["prompts"]
    assert [(one["version"], one["note"]) for one in listed[1:]] == [(version, "hasty")]
    shown = CliRunner().invoke(app, ["prompts", "--show", version, "--store", home]).stdout
    assert shown == copy.read_text(encoding="utf-8")
    copy.write_text("be kind", encoding="utf-8")
    broken = CliRunner().invoke(app, ["prompts", "--add", str(copy), "--store", home])
    assert isinstance(broken.exception, SettingsError)
