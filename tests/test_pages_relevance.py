"""Relevance as a reader meets it: scores with n and direction, masked words, questions, order of points, robustness."""

from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from components.figures import relevance as figures
from lemaj_core.analysis import relevance as analysis
from lemaj_core.metrics.findings import scores
from lemaj_core.store import open_store
from lemaj_core.types import Dataset, Finding, Item, Judgement, RunSettings, Status

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = RunSettings(metrics=("answer_relevance", "reranking", "robustness"), preset="hazard")
ANSWER = "Two steps:\n1. Drain <b>floods</b>.\n2. Raise pumps.\nConfidence: 80 percent."


def found(key, similarities, paraphrase=0.9, perturbation=0.4):
    """Give findings of one answer: "floods" is masked, point 2 goes first (Delta -0.5 and 1.5)."""
    at = ANSWER.index("floods")
    questions = [{"text": f"What is <i>{value}</i>?", "similarity": value} for value in similarities]
    relevance = {
        "masked": ANSWER.replace("floods", "[HAZARD]"),
        "hidden": [[at, at + 6, "[HAZARD]"]],
        "questions": questions,
        "unmasked": [{"text": "How do floods drain?", "similarity": 0.9}],
        "wanted": 5,
    }
    spans = [
        [ANSWER.index(text), ANSWER.index(text) + len(text)] for text in ("1. Drain <b>floods</b>.", "2. Raise pumps.")
    ]
    order = {
        "form": "list",
        "intro": [0, 10],
        "points": spans,
        "closing": [ANSWER.index("Confidence"), len(ANSWER)],
        "full": 2.0,
        "without": [2.5, 0.5],
        "delta": [-0.5, 1.5],
        "order": [1, 0],
        "changed": True,
    }
    robust = {
        "paraphrase": {"similarity": paraphrase, "answer": "Same.", "question": "Q?", "from": "column", "column": "p"},
        "perturbation": {"reason": "the column is empty"}
        if perturbation is None
        else {"similarity": perturbation, "answer": "Other.", "question": None, "from": "m"},
        "chunks": 1,
    }
    details = (("answer_relevance", relevance), ("reranking", order), ("robustness", robust))
    return [Finding(key, group, "packaged", Status.SCORED, detail) for group, detail in details]


@pytest.fixture
def run(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    monkeypatch.setenv("LEMAJ_STORE", url)
    cached.clear()
    items = tuple(Item(key, "How do we drain floods?", ANSWER, model=f"m{key}") for key in ("a", "b", "c"))
    with open_store(url) as store:
        run_id = store.create_run(store.add_dataset(Dataset("d", items)), SETTINGS)
        several = {"a": found("a", [0.8, 0.6]), "b": found("b", [0.2], 0.5, None)}
        several["c"] = [
            Finding("c", "answer_relevance", "packaged", Status.UNDEFINED, {}, reason="the answer is empty")
        ]
        for key, findings in several.items():
            store.save_judgement(run_id, Judgement(key, "offline", Status.SCORED), scores(findings, SETTINGS), findings)
    yield run_id
    cached.clear()
    st.cache_data.clear()


def opened(**params):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/relevance.py")
    for name, value in params.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, [one.message for one in at.exception]
    return at


def said(at):
    return " | ".join(element.value for element in (*at.markdown, *at.caption, *at.info))


def drawn(at):
    return " ".join(str(element.proto.body) for element in at.get("html"))


def test_scores_stand_with_n_direction_and_what_is_left_out(run):
    at = opened()
    figure = {metric.label: metric.value for metric in at.metric}
    # (0.8 + 0.6) / 2 = 0.7 and 0.2: mean 0.45; paraphrase (0.9 + 0.5) / 2 = 0.7; perturbation 0.4 alone
    assert figure["Masked relevance"] == "0.45"
    assert figure["Similarity under paraphrase"] == "0.70"
    assert figure["Similarity under perturbation"] == "0.40"
    assert figure["Order of points changes"] == "100.0 %"
    assert "n = 2 · 1 undefined" in said(at)
    assert "lower is better" in said(at)
    assert "2 of 2 answers" in said(at)


def test_the_lowest_answer_opens_with_its_words_masked_and_escaped(run):
    at = opened()
    assert at.selectbox(key="relevance_answer").value == "b"
    html = drawn(at)
    assert '<span class="lj-placeholder">[HAZARD]</span>' in html
    assert 'title="[HAZARD]">floods</span>' in html
    assert "<b>" not in html.replace("<b></b>", "")
    assert "&lt;i&gt;0.2&lt;/i&gt;" in html
    assert "2 ← 1" in html
    assert "the order changes" in said(at)
    assert "the column is empty" in said(at)


def test_another_answer_can_be_opened_from_the_address(run):
    at = opened(relevance_answer="a")
    assert at.selectbox(key="relevance_answer").value == "a"
    assert "similarity 0.40 (lower is better)" in said(at)


def test_an_answer_without_questions_says_why(run):
    at = opened(relevance_answer="c")
    assert "the answer is empty" in said(at)


def test_a_run_without_any_of_the_groups_says_how_to_get_them(run):
    with open_store() as store:
        store.create_run(store.run(run).dataset_id, RunSettings(metrics=("readability",)), name="newer")
    at = opened()
    assert "--metrics answer_relevance,reranking,robustness" in said(at).replace("\\", "")
    assert not at.metric


# figures ------------------------------------------------------------------------------------------------------------


def frame():
    return pd.DataFrame(
        {
            "item_id": ["a", "b", "c"],
            "question": ["<script>", "q", "q"],
            "model": ["m", "m", None],
            "answer_relevance": [0.7, 0.2, float("nan")],
            "answer_relevance_status": ["scored", "scored", "undefined"],
            "robustness_paraphrase": [0.9, 0.5, float("nan")],
            "robustness_paraphrase_status": ["scored", "scored", "undefined"],
            "robustness_perturbation": [0.4, float("nan"), float("nan")],
            "robustness_perturbation_status": ["scored", "undefined", "undefined"],
        }
    )


def test_models_have_their_dots_and_mean():
    dots, mean = figures.by_model(frame(), "answer_relevance", {"m": "#123456"}).data
    assert list(dots.x) == [0.7, 0.2]
    assert dots.marker.color == "#123456"
    assert mean.x[0] == pytest.approx(0.45)
    assert "&lt;script&gt;" in dots.text[0]


def test_robustness_pairs_say_which_way_is_good():
    line, paraphrase, perturbation = figures.robustness(frame()).data
    # sorted by the gap: b has 0.5 and nothing (0.5 - 0), a has 0.9 and 0.4
    assert list(paraphrase.x) in ([0.5, 0.9], [0.9, 0.5])
    assert paraphrase.name == "paraphrase (higher is better →)"
    assert perturbation.name == "perturbation (lower is better ←)"
    assert len(line.y) == 6


def test_points_stand_in_their_new_order_and_negative_ones_differ():
    points = analysis.reordered(found("a", [])[1].detail, ANSWER)
    assert [(point["was"], point["delta"]) for point in points] == [(2, 1.5), (1, -0.5)]
    bar = figures.deltas(points).data[0]
    assert list(bar.x) == [1.5, -0.5]
    assert len(set(bar.marker.color)) == 2
    assert "&lt;b&gt;" in bar.hovertext[1]
    assert not figures.deltas([]).data


def test_pairs_need_masked_words_and_both_sets_of_questions():
    whole, lacking = found("a", [0.8, 0.6])[0], found("b", [])[0]
    plain = Finding("c", "answer_relevance", "x", Status.SCORED, whole.detail | {"hidden": []})
    table = analysis.pairs([whole, lacking, plain])
    assert table.values.tolist() == [["a", pytest.approx(0.7), 0.9]]
    assert analysis.changed_orders(found("a", [])[1:2]) == (1, 1)
