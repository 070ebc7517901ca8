"""Triage as a stakeholder meets it: thresholds that answer at once and stay, and the unknown is never cleared."""

import json
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached, tables
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.types import DataPoint, Dataset, Item, Judgement, RunSettings, Status, Tag

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Point the app to the temporary store."""
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'store.db'}")
    cached.clear()
    yield tmp_path
    cached.clear()
    st.cache_data.clear()


def run(at):
    at.run()
    assert not at.exception, [found.message for found in at.exception]
    return at


def triage(**params):
    """Open Triage as the very first page of a session."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/triage.py")
    for name, value in params.items():
        at.query_params[name] = value
    return run(at)


def figures(at):
    return {metric.label: metric.value for metric in at.metric}


def captions(at):
    return " | ".join(caption.value for caption in at.caption)


def queue(at):
    return at.dataframe[0].value


def test_three_figures_answer_at_the_papers_thresholds(home, small_run):
    at = triage()
    # cleared: a1 (Correctness 1, Relevance 4/5), 4 minutes of 4 + 3 + 6 + 2 + 5 + 6 = 26
    assert figures(at) == {"Review time saved": "15.4 %", "Answers cleared": "1 of 6", "Defects, at most": "95.0 %"}
    assert "4 min of 26 min" in captions(at)
    # a1 has an expert score of 1: none of one defective, bound 1 - .05
    assert "0 seen among 1 cleared and scored by experts" in captions(at)
    assert any("If this 1 answer goes out unread" in text.value for text in at.markdown)


def test_moving_a_threshold_changes_every_figure(home, small_run):
    at = triage()
    at.slider(key="t_relevance").set_value(0.66)
    run(at)
    # a2 has Relevance 2/3 >= .66 and 3 minutes
    assert figures(at)["Answers cleared"] == "2 of 6"
    assert figures(at)["Review time saved"] == "26.9 %"
    at.slider(key="t_relevance").set_value(0.67)
    run(at)
    assert figures(at)["Answers cleared"] == "1 of 6"


def test_undefined_failed_and_waiting_answers_are_never_cleared(home, small_run):
    at = triage(t_correctness="0.0", t_relevance="0.0")
    # a3 has Relevance undefined, a4 Correctness undefined, a5 failed, a6 waiting
    assert figures(at)["Answers cleared"] == "2 of 6"
    assert set(queue(at)["status"]) == {
        "undefined: no correct, irrelevant or missing point",
        "undefined: no checkable statement",
        "failed: malformed reply",
        "waiting",
    }


def test_thresholds_stay_from_page_to_page(home, small_run):
    at = triage()
    at.slider(key="t_relevance").set_value(0.66)
    run(at)
    at.switch_page("app.py")
    run(at)
    assert figures(at)["Could be cleared"] == "33.3 %"
    at.switch_page("pages/triage.py")
    run(at)
    assert at.slider(key="t_relevance").value == 0.66
    assert figures(at)["Answers cleared"] == "2 of 6"


def test_a_cold_deep_link_restores_the_view(home, small_run):
    at = triage(t_relevance="0.66", minutes="12.0", rate="300", f_model="model-b", run=small_run.run_id)
    # model-b: a2 3 minutes, a4 2, a6 without minutes 12; a2 cleared
    assert figures(at)["Answers cleared"] == "1 of 3"
    assert "3 min of 17 min" in captions(at)
    assert "\\$15" in captions(at)  # 3 minutes at $300 an hour


def test_copy_link_has_default_values_too(home, small_run):
    query = parse_qs(urlparse(triage().code[0].value).query)
    assert query["t_correctness"] == ["1.0"]
    assert query["t_relevance"] == ["0.8"]
    assert query["minutes"] == ["6.0"]
    assert query["run"] == [small_run.run_id]


def test_a_defect_may_be_a_matter_of_relevance_too(home, small_run):
    at = triage()
    # a1: expert Relevance .75 is below .80
    at.segmented_control(key="defect").set_value("Correctness below 1, or Relevance below its threshold")
    run(at)
    assert "1 seen among 1 cleared and scored" in captions(at)
    assert figures(at)["Defects, at most"] == "100.0 %"


def test_without_expert_scores_the_risk_is_unknown_not_zero(home, store, small_dataset):
    items = tuple(Item(f"i{n}", "Question?", "An answer.") for n in range(2))
    run_id = store.create_run(store.add_dataset(Dataset("no labels", items)), RunSettings())
    for item in items:
        points = (DataPoint("p1", "An answer.", Tag.CORRECT),)
        store.save_judgement(
            run_id, Judgement(item.id, "offline", Status.SCORED, points), score_tags([Tag.CORRECT])._asdict()
        )
    at = triage()
    assert figures(at)["Defects, at most"] in (None, "—")
    assert "unknown: no cleared answer has an expert's score" in captions(at)
    assert any("share of defects is unknown" in text.value for text in at.markdown)
    assert len(at.get("plotly_chart")) == 2
    assert "nothing is left to read" in at.success[0].value


def test_curves_mark_the_papers_thresholds(home, small_run):
    at = triage()
    assert [len(json.loads(element.spec)["data"]) for element in at.get("plotly_chart")] == [4, 2, 2]
    shapes = json.loads(at.get("plotly_chart")[0].spec)["layout"]["shapes"]
    assert [shape["x0"] for shape in shapes] == [0.80, 0.85]
    assert all(element.proto.alt for element in at.get("plotly_chart"))


def test_the_queue_lists_what_must_be_read_with_reason_and_flips(home, small_run):
    table = queue(triage()).set_index("question")
    assert "What is the rent?" not in table.index
    assert table.loc["May a party disclose by law?", "status"] == "failed: malformed reply"
    # a2: 1 C, 1 R -> one flip of the irrelevant point to correct clears it
    assert table.loc["How long is the term?", "flips"] == 1
    assert table.loc["How long is the term?", "points"] == "1 ✔  1 ◐"
    assert {"answer", "text"}.isdisjoint(table.columns)


def test_a_click_in_the_queue_opens_that_answer(home, small_run, monkeypatch):
    opened = []
    monkeypatch.setattr(tables, "open_page", lambda path, **params: opened.append((path, params)))
    ids = queue(triage())["question"].index.map(str).tolist()
    for row in (1, 99, -1):
        monkeypatch.setattr(st, "session_state", {"queue_open": {"row": row, "label": "Open"}})
        tables._open("queue_open", ids)
    assert opened == [("pages/answers.py", {"answer": ids[1]})]


def test_no_run_says_what_to_do(home):
    at = triage()
    assert "Load the sample on the Evaluate page" in at.info[0].value
    assert not at.metric


def test_filters_that_leave_nothing_say_what_to_do(home, small_run):
    at = triage(f_text="no such words")
    assert "Take a filter off" in at.info[-1].value
    assert not at.metric


@pytest.mark.parametrize("value", ["7", "abc", "-1", "nan"])
def test_broken_addresses_fall_back_to_sane_values(home, small_run, value):
    at = triage(t_relevance=value, minutes=value, judge=value)
    assert 0 <= at.slider(key="t_relevance").value <= 1
    assert figures(at)["Answers cleared"].endswith("of 6")
