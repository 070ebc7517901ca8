"""Agreement as a researcher meets it: figures beside the published rows, points behind a number, reasons."""

from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from scipy import stats
from streamlit.testing.v1 import AppTest

from components import cached
from components.agreement import behind, in_a_table, scored_by
from components.figures import agreement as figures
from lemaj_core.analysis import tag_agreement
from lemaj_core.analysis.agreement import against_experts, baselines_against, bias
from lemaj_core.ingest.sample import load_sample
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.store import open_store
from lemaj_core.types import Annotation, DataPoint, Judgement, RunSettings, Status, Tag

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Point the app to a temporary store."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    monkeypatch.setenv("LEMAJ_STORE", url)
    cached.clear()
    st.cache_resource.clear()
    yield url
    cached.clear()
    st.cache_data.clear()


@pytest.fixture
def sample(home):
    """The sample as a second constructed expert would judge it: a judge that makes the mistakes of people."""
    dataset = load_sample()
    with open_store(home) as store:
        run = store.create_run(store.add_dataset(dataset), RunSettings(judges=("reader",)))
        last = {label.item_id: label for label in dataset.annotations}
        for item in dataset.items:
            points = last[item.id].points
            judgement = Judgement(item.id, "reader", Status.SCORED, points)
            store.save_judgement(run, judgement, score_tags(point.tag for point in points)._asdict())
    return dataset


def opened(**params):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/agreement.py")
    for name, value in params.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, [found.message for found in at.exception]
    return at


def said(at):
    return " | ".join(element.value for element in (*at.markdown, *at.caption, *at.info, *at.subheader))


def test_the_sample_shows_a_complete_page(sample):
    at = opened()
    assert [metric.label for metric in at.metric] == [
        "Correctness: Pearson r",
        "Correctness: same bucket",
        "Relevance: Pearson r",
        "Relevance: same bucket",
    ]
    assert all(metric.value != "—" for metric in at.metric)
    words = said(at)
    assert words.count("n = 72, 9 documents") == 2
    assert "LeMAJ Alignment" in words
    assert "Experts among themselves" in words
    table = at.dataframe[0].value
    assert table["method"].tolist()[:3] == ["this judge", "always the commonest bucket",
                                            "LeMAJ (published: own contracts | LegalBench)"]  # fmt: skip


def test_another_expert_changes_the_figures(sample):
    first = [metric.value for metric in opened().metric]
    second = opened(expert="constructed expert 2")
    assert [metric.value for metric in second.metric] != first
    # the reader is that expert: every answer in its bucket
    values = {metric.label: metric.value for metric in second.metric}
    assert values["Correctness: same bucket"] == "100.0 %"
    assert "100.0 %" in said(second)


def test_kinds_can_be_read(sample):
    at = opened()
    kind = at.selectbox(key="error")
    kind.set_value(kind.options[1]).run()
    assert not at.exception
    assert "points in" in said(at)


def test_without_experts_the_page_says_what_to_add(home, small_dataset):
    from dataclasses import replace

    items = tuple(replace(item, human_correctness=None, human_relevance=None) for item in small_dataset.items)
    with open_store(home) as store:
        store.create_run(store.add_dataset(replace(small_dataset, items=items, annotations=())), RunSettings())
    at = opened()
    assert "human_correctness" in said(at)
    assert not at.metric


def frame():
    return pd.DataFrame(
        {
            "item_id": ["a", "b", "c", "d"],
            "question": ["<script>"] * 4,
            "document_id": ["x", "x", "y", "y"],
            "correctness": [1.0, 0.5, 0.0, 1.0],
            "correctness_status": "scored",
            "human_correctness": [1.0, 0.5, 0.5, 1.0],
        }
    )


def test_figures_stand_beside_the_published_ones():
    found = against_experts(frame(), "correctness")
    figure = figures.correlations(found)
    assert figure.data[0].x[0] == pytest.approx(found.pearson.value)
    assert list(figure.data[1].x) == [0.259, 0.077]
    assert list(figure.data[2].x) == [0.700, 0.018]
    figure = figures.accuracies(found)
    # three of four in the expert's bucket; half of the answers have the commonest bucket 1, the other half .5
    assert list(figure.data[0].x) == [0.75, 0.5]
    assert list(figure.data[1].x) == [0.95, 0.43]
    table = in_a_table([found])
    assert table.loc[0, "bucketed accuracy"] == "0.75"
    assert table.loc[2, "Pearson r"] == "0.259 | 0.700"


def test_baselines_of_the_run_stand_below_the_judge():
    answers = frame().assign(bleu=[1.0, 0.4, 0.5, 0.9], bleu_status=["scored"] * 3 + ["undefined"])
    baselines = baselines_against(answers, "correctness")
    # three answers have both: (1, 1), (.4, .5), (.5, .5)
    assert baselines["bleu"].n == 3
    assert baselines["bleu"].value == pytest.approx(stats.pearsonr([1, 0.4, 0.5], [1, 0.5, 0.5]).statistic, abs=1e-12)
    found = against_experts(answers, "correctness")
    figure = figures.correlations(found, baselines)
    assert figure.layout.yaxis.ticktext[3] == "BLEU, n = 3"
    assert figure.data[0].x[3] == pytest.approx(baselines["bleu"].value)
    assert "BLEU" in in_a_table([found], {"correctness": baselines})["method"].tolist()


def test_undefined_figures_say_why():
    found = against_experts(frame().head(2), "correctness")
    assert "at least 3 are needed" in figures.correlations(found).layout.annotations[0].text
    none = against_experts(frame().head(0), "correctness")
    assert figures.accuracies(none).layout.annotations[0].text == "no answer has both scores"
    assert figures.bland_altman(frame().head(0), bias([], []), "correctness").layout.annotations
    assert "Too few" in figures.raters({"tag": []}).layout.annotations[0].text
    assert "agree on every point" in figures.kinds(pd.DataFrame({"kind": [], "points": []})).layout.annotations[0].text


def test_cells_hold_the_points_behind_them():
    mine = [DataPoint("a", "x y z", Tag.CORRECT, "", 0, 5)]
    theirs = (DataPoint("b", "x y z", Tag.INCORRECT, "", 0, 5), DataPoint("c", "gone", Tag.MISSING))
    compared = tag_agreement.compare_points({"i": mine}, [Annotation("i", "e", theirs)])
    table = tag_agreement.confusion(compared)
    figure = figures.confusion(table)
    cells = {
        tuple(data[:2]): text for part in figure.data[1:] for data, text in zip(part.customdata, part.text, strict=True)
    }
    assert cells["incorrect", "correct"] == "1"
    assert cells["correct", "correct"] == ""
    assert len(behind(compared, "missing", tag_agreement.ABSENT, tag_agreement.ABSENT)) == 1


def test_one_annotators_scores_come_from_the_tags_unless_stated():
    points = (DataPoint("p", "x", Tag.CORRECT), DataPoint("q", "y", Tag.INCORRECT))
    labels = [
        Annotation("a", "e", points),
        Annotation("b", "e", points, correctness=0.25),
        Annotation("c", "f", points),
    ]
    found = scored_by(frame(), labels, "e", 1.0).set_index("item_id")["human_correctness"]
    assert found["a"] == 0.5
    assert found["b"] == 0.25
    assert found[["c", "d"]].isna().all()
