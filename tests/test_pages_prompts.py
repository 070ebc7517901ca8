"""The prompts as a reader meets them: read, copied, kept by hash, and two of them beside the experts."""

import json
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from components.prompts import against, asked, difference, versions
from lemaj_core.pipeline import evaluate
from lemaj_core.store import open_store
from lemaj_core.text import wording
from lemaj_core.types import Dataset, Document, Item

ROOT = Path(__file__).resolve().parent.parent
OWN = wording.version(wording.builtin())
OTHER = wording.builtin()["data_points"].replace("careful legal editor", "strict examiner")
ANSWER = "The rent is EUR 2,000."
EXPERT = (1.0, 1.0, 0.0, 0.0, 1.0)


@pytest.fixture
def home(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    monkeypatch.setenv("LEMAJ_STORE", url)
    cached.clear()
    yield url
    cached.clear()
    st.cache_data.clear()


def said(tag):
    return {"data_points": [{"id": "1", "quote": ANSWER, "text": ANSWER, "tag": tag}]}


@pytest.fixture
def run(home, tmp_path):
    """The edited prompt agrees with the expert on every answer, the product's own on three of five."""
    names = []
    for who, tags in (("edited", "cciic"), ("own", "cicic")):
        path = tmp_path / f"{who}.jsonl"
        rows = [
            {"match": f"case {number}?", "reply": said("correct" if tag == "c" else "incorrect")}
            for number, tag in enumerate(tags)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        names.append(f"scripted:{path}")
    documents = {"d": Document("d", "d.txt", "The tenant pays a rent of EUR 2,000.")}
    items = tuple(
        Item(f"a{n}", f"What is case {n}?", ANSWER, "d", human_correctness=score, human_relevance=score)
        for n, score in enumerate(EXPERT)
    )
    with open_store(home) as store:
        version = store.keep_prompt(wording.edited(OTHER), "stricter <b>x</b>")
        done = evaluate(Dataset("data", items, documents), [f"{names[0]}#{version}", names[1]], store=store)
        assert (done.done, done.failed) == (10, 0)
    return version


def opened(**address):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params.update(address)
    at.switch_page("pages/prompts.py").run()
    assert not at.exception, [found.message for found in at.exception]
    return at


def texts(at):
    return [code.value for code in at.code]


def test_the_products_own_prompt_can_be_read_without_a_run(home):
    at = opened()
    assert wording.builtin()["data_points"] in texts(at)
    # every piece that goes into a slot is there, too
    assert set(wording.builtin().values()) <= set(texts(at))
    assert at.selectbox(key="prompt").value == OWN
    assert any("No run was asked with it yet" in one.value for one in at.caption)


def test_a_copy_is_kept_under_its_hash_and_the_original_stays(home):
    at = opened()
    at.text_area(key=f"text_{OWN}").set_value(OTHER)
    at.text_input(key=f"note_{OWN}").set_value("stricter")
    at.button(key="keep_prompt").click().run()
    assert not at.exception
    version = wording.version(wording.edited(OTHER))
    assert f"openai/gpt-4o#{version}" in texts(at)
    assert [(one.version, one.note) for one in cached.store().prompts()] == [(version, "stricter")]
    at = opened(prompt=f"{version}")
    assert [one.version for one in versions()] == [OWN, version]
    assert versions()[1].words["data_points"] == OTHER


def test_a_copy_that_could_not_be_sent_is_refused_with_the_reason(home):
    at = opened()
    at.text_area(key=f"text_{OWN}").set_value("Be kind.")
    at.button(key="keep_prompt").click().run()
    assert not at.exception
    assert at.error[0].title == "This prompt could not be sent"
    assert "checking" in at.error[0].value
    assert cached.store().prompts() == []


def test_two_versions_stand_beside_the_experts(home, run):
    places = asked(cached.runs())
    assert [one.version for one in places] == [run, OWN]
    table, both = against(*places)
    assert both == 5
    first, second = table[table["score"] == "Correctness"].to_dict("records")
    # the edited prompt says what the expert says
    assert (first["prompt"], first["same bucket"], first["judge − expert"], first["n"]) == (run, "1.00", "0.00", "5")
    assert first["Pearson r"].startswith("1.00")
    # the own one: 1 0 1 0 1 against 1 1 0 0 1; r = (2 - 5·.6·.6) / (5·.24) = 1/6, three of five buckets, no bias
    assert (second["prompt"], second["same bucket"], second["judge − expert"]) == (OWN, "0.60", "0.00")
    assert second["Pearson r"].startswith("0.17")
    at = opened()
    assert any("5 answers were judged by both" in one.value for one in at.caption)
    assert any("+You are" in text or "strict examiner" in text for text in texts(at))
    at.selectbox(key="prompt").set_value(run).run()
    assert not at.exception
    assert OTHER in texts(at)
    assert wording.builtin()["data_points"] not in texts(at)
    assert any("Asked in 1 places" in one.value for one in at.caption)


def test_a_difference_shows_only_what_differs():
    assert difference("a\nb\nc", "a\nx\nc").splitlines()[3:] == [" a", "-b", "+x", " c"]
    assert difference("a", "a") == ""


def test_fewer_than_two_judgings_say_what_to_do(home):
    assert any("Judge the same data with two versions" in info.value for info in opened().info)
