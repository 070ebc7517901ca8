"""Readability as a reader meets it: scores with n, bands, the longest sentences, and why a text has no score."""

from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from components.figures import readability as figures
from components.figures import spread
from lemaj_core.pipeline import evaluate
from lemaj_core.store import open_store
from lemaj_core.types import Dataset, Item, RunSettings

ROOT = Path(__file__).resolve().parent.parent
# 2 sentences of 19 words each
EASY = "The tenant must pay the rent on the first day of each month by bank transfer to the landlord. " * 2
LONG = "The tenant must pay the rent on the first day of each month, and " * 5 + "the landlord may <b>not</b> refuse."


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Point the app to a temporary store."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    monkeypatch.setenv("LEMAJ_STORE", url)
    cached.clear()
    yield url
    cached.clear()
    st.cache_data.clear()


class Never:
    """A judge that is not asked."""

    name, approximate, version = "never", False, "1"

    async def judge(self, item, document, ask, *, repeat=0):
        raise AssertionError("readability needs no judge")


@pytest.fixture
def run(home):
    texts = (("a", EASY, "m1"), ("b", LONG, "m1"), ("c", "Too short.", "m2"), ("d", EASY, None))
    items = tuple(Item(key, f"What of {key}?", text, model=model) for key, text, model in texts)
    with open_store(home) as store:
        settings = RunSettings(judges=("never",), metrics=("readability",))
        done = evaluate(Dataset("d", items), settings=settings, store=store, judge_objects={"never": Never()})
    return done.id


def opened(path="pages/readability.py"):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page(path)
    at.run()
    assert not at.exception, [found.message for found in at.exception]
    return at


def said(at):
    return " | ".join(element.value for element in (*at.markdown, *at.caption, *at.info))


def test_scores_stand_with_n_and_what_is_left_out(run):
    at = opened()
    figure = {metric.label: metric.value for metric in at.metric}
    with open_store() as store:
        frame = store.answers(run)
    assert figure["Reading ease"] == f"{frame['fre'].mean():.1f}"
    assert "n = 3 · 1 undefined" in said(at)
    # a and d have 38 words in 2 sentences, b has 75 words in 1 and c 2 in 1: 153 words in 6 sentences are 25.5
    assert figure["Words per sentence"] == "25.5"


def test_the_hardest_answer_comes_first_with_its_longest_sentence_escaped(run):
    at = opened()
    assert at.selectbox(key="readability_answer").value == "b"
    assert "<b>" not in said(at).replace("\\<b\\>", "")
    assert "75 words" in said(at)
    at.selectbox(key="readability_answer").set_value("c").run()
    assert "too short" in said(at)


def test_texts_without_a_score_are_listed_with_the_reason(run):
    table = opened().dataframe[0].value
    assert table["why"].tolist() == ["too short: 2 words, at least 30 are needed"]


def test_a_run_without_the_group_says_how_to_get_it(home, run):
    with open_store(home) as store:
        dataset = store.run(run).dataset_id
        store.create_run(dataset, RunSettings(), name="newer")
    at = opened()
    assert "--metrics readability" in said(at).replace("\\", "")
    assert not at.metric


def test_pages_that_need_data_points_say_so(run):
    for path in ("app.py", "pages/answers.py", "pages/triage.py"):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if path != "app.py":
            at.switch_page(path)
        at.run()
        assert not at.exception
        assert "It has: Readability" in at.info[0].value


def frame(values, key="fre"):
    return pd.DataFrame(
        {
            "question": ["<script>"] * len(values),
            "model": ["m"] * len(values),
            "words": 40,
            "sentences": 2,
            key: values,
            f"{key}_status": ["scored" if value == value else "undefined" for value in values],
            f"{key}_reason": "",
        }
    )


def test_the_figure_shows_every_score_its_mean_and_the_bands_that_occur():
    figure = figures.spread(frame([20.0, 40.0, 60.0, float("nan")]), "fre")
    box, mean = figure.data
    assert list(box.x) == [20.0, 40.0, 60.0]
    assert mean.x[0] == 40.0
    # t = 4.3027 with 2 degrees of freedom, s = 20: half = 4.3027 x 20 / sqrt(3) = 49.68
    assert mean.error_x.array[0] == pytest.approx(49.68, abs=0.01)
    assert "n = 3, 1 undefined" in figure.layout.yaxis.ticktext[0]
    assert "&lt;script" in box.text[0]
    # the axis runs from 16 to 64: four bands, up to 30, 50, 60 and 70
    assert [round(shape.x1) for shape in figure.layout.shapes] == [30, 50, 60, 64]


def test_both_ends_of_an_interval_stand_where_they_are():
    trace = spread.mean(2, 0.5, 0.2, 1.0, 7, digits=2, unit=" %")
    assert (trace["x"], trace["y"]) == ([0.5], [2])
    assert (trace["error_x"]["arrayminus"], trace["error_x"]["array"]) == ([pytest.approx(0.3)], [0.5])
    assert trace["hovertemplate"].startswith("mean 0.50 [0.20, 1.00] %, n = 7")
    alone = spread.mean(0, 0.5, None, None, 1)
    assert (alone["error_x"]["arrayminus"], alone["error_x"]["array"]) == ([0.0], [0.0])


def test_no_score_at_all_says_so():
    figure = figures.spread(frame([float("nan")]), "fre")
    assert not figure.data
    assert figure.layout.annotations[0].text == "No answer could be scored"
