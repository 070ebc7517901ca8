"""Overview as a reader meets it: figures with what they leave out, filters, links, empty and broken stores."""

import json
import os
from base64 import b64decode
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.types import DataPoint, Dataset, Document, Item, Judgement, RunSettings, Status, Tag

ROOT = Path(__file__).resolve().parent.parent
NASTY = "<img src=x onerror=alert(1)> ![x](http://127.0.0.1:9/x.png) :red[a] $x$ =HYPERLINK(1)"


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


def overview(**params):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in params.items():
        at.query_params[name] = value
    return run(at)


def figures(at):
    return {metric.label: metric.value for metric in at.metric}


def captions(at):
    return " | ".join(caption.value for caption in at.caption)


def chart(at, number):
    return json.loads(at.get("plotly_chart")[number].spec)


def numbers(packed):
    """Unpack an array as plotly sends it: base64 with its type, or a list."""
    return np.frombuffer(b64decode(packed["bdata"]), packed["dtype"]).tolist() if isinstance(packed, dict) else packed


def test_four_figures_with_what_they_leave_out(home, small_run):
    at = overview()
    # Correctness: a1 2/2, a2 1/1, a3 0/1 -> 2/3; a4 undefined, a5 failed, a6 waiting
    # Relevance: a1 4/5, a2 2/3, a4 0 -> .4889; a3 undefined
    assert figures(at) == {"Answers": "6", "Correctness": "0.67", "Relevance": "0.49", "Could be cleared": "16.7 %"}
    said = captions(at)
    assert "4 scored · 0 undefined · 1 failed · 1 waiting" in said
    assert "n = 3 · 1 undefined, 1 failed" in said
    assert "1 of 6 at Correctness ≥ 1.00, Relevance ≥ 0.80" in said


def test_the_offline_judge_and_failed_answers_are_announced(home, small_run):
    at = overview()
    said = " ".join(element.value for element in at.markdown)
    assert "Offline judge, approximate" in said
    assert "Constructed sample" not in said
    assert "1 of 6 answers could not be judged" in at.warning[0].value


def test_a_constructed_sample_is_announced(home, store, small_dataset):
    fields = {name: getattr(small_dataset, name) for name in small_dataset.__slots__} | {"constructed": True}
    store.create_run(store.add_dataset(Dataset(**fields)), RunSettings())
    at = overview()
    assert "Constructed sample" in " ".join(element.value for element in at.markdown)


def test_pictures_hold_the_runs_numbers(home, small_run):
    at = overview()
    tags = chart(at, 0)
    correct = next(part for part in tags["data"] if part["name"] == "✔ correct")
    # model-a: a1 2 C 1 M, a3 1 I -> 2 of 4; model-b: a2 1 C 1 R, a4 1 R -> 1 of 3
    assert numbers(correct["x"]) == pytest.approx([50, 100 / 3])
    plane = chart(at, 2)
    marks = {row[0] for part in plane["data"] for row in part["customdata"]}
    assert marks == {"a1", "a2"}


def test_every_picture_and_table_has_a_text_for_those_who_do_not_see_it(home, small_run):
    at = overview()
    assert len(at.get("plotly_chart")) == 4
    assert all(element.proto.alt for element in at.get("plotly_chart"))
    at.session_state["numbers"] = True
    run(at)
    assert [element.proto.alt for element in at.dataframe] == ["Means, intervals, counts by model and type"]


def test_the_numbers_behind_the_pictures_are_read_on_demand(home, small_run):
    at = overview()
    assert not at.dataframe
    at.session_state["numbers"] = True
    run(at)
    table = at.dataframe[0].value
    first = table[(table["by"] == "model") & (table["group"] == "model-a") & (table["metric"] == "Correctness")].iloc[0]
    # a1 1, a3 0, a5 failed
    assert (first["mean"], first["n"], first["undefined"], first["failed"]) == ("0.50", 2, 0, 1)


def test_what_is_worth_reading_first_opens_its_answer(home, small_run):
    at = overview()
    (button,) = [found for found in at.button if found.key.startswith("worst_open_")]
    assert button.label == "Can the landlord terminate?"
    assert "Correctness 0.00 · Relevance undefined · 1 ✖ · model\\-a" in captions(at)
    button.click()
    run(at)
    assert at.query_params["answer"] in ("a3", ["a3"])


def test_a_filter_narrows_every_figure_and_can_be_cleared(home, small_run):
    at = overview()
    at.multiselect(key="f_model").select("model-a")
    run(at)
    # model-a: a1 1, a3 0 -> .5; a5 failed
    assert figures(at)["Answers"] == "3"
    assert figures(at)["Correctness"] == "0.50"
    assert "3 of 6 answers" in captions(at)
    at.button(key="f_clear").click()
    run(at)
    assert figures(at)["Answers"] == "6"


def test_filters_come_with_the_address(home, small_run):
    at = overview(f_status="failed", run=small_run.run_id)
    assert figures(at)["Answers"] == "1"
    assert figures(at)["Correctness"] is None or figures(at)["Correctness"] == "—"


@pytest.mark.parametrize(
    ("params", "ids"),
    [
        ({"f_tag": "✚ missing"}, 1),
        ({"f_tag": "missing"}, 1),
        ({"f_status": "undefined"}, 2),
        ({"f_text": "SECRECY"}, 1),
        ({"f_column": "team", "f_values": "red"}, 3),
        ({"f_document_type": "NDA"}, 2),
        ({"f_correctness": ["0.5", "1.0"]}, 2),
    ],
)
def test_every_filter_finds_its_answers(home, small_run, params, ids):
    assert figures(overview(**params))["Answers"] == str(ids)


def test_filters_that_leave_nothing_say_what_to_do(home, small_run):
    at = overview(f_text="no such words")
    assert "Take a filter off" in at.info[-1].value
    assert not at.metric


def test_copy_link_holds_run_judge_filters_and_thresholds(home, small_run):
    at = overview(f_model="model-a", t_relevance="0.85")
    query = parse_qs(urlparse(at.code[0].value).query)
    assert query["run"] == [small_run.run_id]
    assert query["judge"] == ["offline"]
    assert query["f_model"] == ["model-a"]
    assert query["t_relevance"] == ["0.85"]


def test_an_unknown_run_falls_back_and_says_so(home, small_run):
    at = overview(run="nothere1")
    assert "There is no run nothere1 here" in at.warning[0].value
    assert figures(at)["Answers"] == "6"


def test_another_run_is_chosen_in_the_sidebar_and_in_the_address(home, small_run, small_dataset):
    other = small_run.store.create_run(small_run.dataset_id, RunSettings(), name="later")
    at = overview(run=small_run.run_id)
    assert at.selectbox(key="run").value == small_run.run_id
    at.selectbox(key="run").set_value(other)
    run(at)
    assert at.query_params["run"] in (other, [other])
    assert figures(at)["Correctness"] in (None, "—")


def test_a_click_on_a_mark_opens_the_answer(home, small_run):
    at = overview()
    at.session_state["plane"] = {
        "selection": {"points": [{"customdata": ["a2", "q", 1, 0.6]}], "point_indices": [0], "box": [], "lasso": []}
    }
    run(at)
    assert at.query_params["answer"] in ("a2", ["a2"])


def test_a_run_that_goes_on_is_followed(home, small_run):
    small_run.store.beat(small_run.run_id, os.getpid())
    at = overview()
    assert at.info[0].value == "This run goes on: 5 of 6 answers are done, the figures are of 5."
    assert at.button(key="watch_refresh").disabled


def test_an_interrupted_run_says_what_its_figures_are_of(home, small_run):
    at = overview()
    assert at.info[0].value.startswith("This run is interrupted: 5 of 6 answers are done")


def test_without_document_types_the_documents_themselves_are_compared(home, store, small_dataset):
    fields = {name: getattr(small_dataset, name) for name in small_dataset.__slots__}
    fields["documents"] = {key: Document(key, found.name, found.text) for key, found in small_dataset.documents.items()}
    run_id = store.create_run(store.add_dataset(Dataset(**fields)), RunSettings())
    judgement = Judgement("a4", "offline", Status.SCORED, (DataPoint("p1", "Secrecy lasts three years.", Tag.CORRECT),))
    store.save_judgement(run_id, judgement, score_tags([Tag.CORRECT])._asdict())
    at = overview()
    layout = chart(at, 3)["layout"]
    assert layout["title"]["text"] == "Mean scores by document"
    assert layout["yaxis"]["ticktext"] == ["nda.txt<br>n = 1"]


def test_an_empty_store_says_what_to_do(home):
    at = overview()
    assert "Load the sample on the Evaluate page" in at.info[0].value
    assert not at.metric


def test_a_store_that_cannot_be_read_says_so(home):
    (home / "store.db").write_bytes(b"this is no database" * 100)
    at = overview()
    assert len(at.error) == 1
    assert "store.db" in at.error[0].value


def test_nasty_text_is_shown_as_text(home, store):
    items = tuple(Item(f"n{n}", NASTY, "An answer.", "d", model=f"{NASTY}{n}") for n in range(2))
    data = Dataset(NASTY, items, {"d": Document("d", NASTY, "Text.", NASTY)})
    run_id = store.create_run(store.add_dataset(data), RunSettings(), name=NASTY)
    for item in items:
        points = (DataPoint("p1", "An answer.", Tag.CORRECT),)
        store.save_judgement(
            run_id, Judgement(item.id, "offline", Status.SCORED, points), score_tags([Tag.CORRECT])._asdict()
        )
    at = overview()
    for text in [element.value for element in (*at.markdown, *at.caption)]:
        assert "![x](" not in text
        assert ":red[a]" not in text.replace("\\", "¦")
    for element in at.get("plotly_chart"):
        assert "<img" not in element.spec
