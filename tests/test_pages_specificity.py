"""Specificity as a researcher meets it: shares with n, the votes of one cell, evidence in place, the all-n/a switch."""

from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from components import specificity as parts
from components.figures import specificity as figures
from components.figures import specificity_claims as claim_figures
from lemaj_core.analysis import specificity as analysis
from lemaj_core.types import Dataset, Document, Finding, Item, Judgement, RunSettings, Status

ROOT = Path(__file__).resolve().parent.parent
NASTY = "<img src=x onerror=alert(1)> Rent is **$5** within 30 days."
TEXT = "1. The rent is $5,000. 2. The term is five (5) years. 3. The law of Ohio governs."
NAMES = {"amount": 0.75, "term": 0.25}


def vote(label, found=(), quote=None, reason="because"):
    place = None
    if quote:
        start = TEXT.index(quote)
        place = {"quote": quote, "document_id": "d", "context": None, "start": start, "end": start + len(quote)}
    return {"label": label, "found": list(found), "evidence": [place] if place else [], "reason": reason}


def detail(*claims, source="document"):
    return {
        "preset": "own", "dimensions": NAMES, "judges": ["exact", "normalised", "semantic"], "source": source,
        "claims": [{"text": text, "start": start, "end": end, "cells": cells} for text, start, end, cells in claims],
    }  # fmt: skip


DETAILS = {
    # amount yes (2:1), term no (3:0): (.75 x 1 + .25 x 0) / 1
    "a": detail(
        (NASTY, 0, len(NASTY), {
            "amount": [vote("no", ["$5"], reason="not word for word"), vote("yes", ["$5"], "The rent is $5,000."),
                       vote("yes", ["$5"], "The rent is $5,000.")],
            "term": [vote("no", ["30 days"])] * 3,
        }),
    ),
    "b": detail(("Nothing specific is said.", 0, 25, {})),
    "c": detail(("It costs $5,000.", 0, 16, {"amount": [vote("yes", ["$5,000"], "The rent is $5,000.")] * 3})),
}  # fmt: skip


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Point the app to a temporary store."""
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'store.db'}")
    cached.clear()
    yield tmp_path
    cached.clear()
    st.cache_data.clear()


@pytest.fixture
def run(home, store):
    answers = {"a": NASTY, "b": "Nothing specific is said.", "c": "It costs $5,000.", "d": "x", "e": "y"}
    models = {"a": "m1", "b": "m1", "c": "m2", "d": "m2", "e": None}
    items = tuple(Item(key, f"What of {key}?", text, "d", model=models[key]) for key, text in answers.items())
    data = Dataset("specific", items, {"d": Document("d", "lease.txt", TEXT)})
    settings = RunSettings(metrics=("specificity",), preset="own", dimensions=NAMES)
    run_id = store.create_run(store.add_dataset(data), settings, name="specific run")
    from lemaj_core.metrics.findings import scores

    for item in items:
        if item.id in DETAILS:
            found = Finding(item.id, "specificity", "offline", Status.SCORED, DETAILS[item.id])
        elif item.id == "d":
            found = Finding(item.id, "specificity", "offline", Status.UNDEFINED, reason="the answer makes no claim")
        else:
            found = Finding(item.id, "specificity", "offline", Status.FAILED, reason="timeout")
        judgement = Judgement(item.id, "offline", Status.SCORED)
        store.save_judgement(run_id, judgement, scores([found], settings), [found])
    return run_id


def opened(**params):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/specificity.py")
    for name, value in params.items():
        at.query_params[name] = value
    return go(at)


def go(at):
    at.run()
    assert not at.exception, [found.message for found in at.exception]
    return at


def said(at):
    return " | ".join(element.value for element in (*at.markdown, *at.caption, *at.info))


def html_of(at):
    return " ".join(str(element.proto.body) for element in at.get("html"))


def tiles(at):
    return {metric.label: metric.value for metric in at.metric}


def test_mean_share_and_agreement_stand_with_their_counts(run):
    at = opened()
    # a .75, c 1 -> .875; b all n/a, d no claim, e failed
    assert tiles(at) == {"Specificity": "0.88", "Details borne out": "66.7 %", "Judges agree": "66.7 %"}
    assert "n = 2 · 2 undefined, 1 failed" in said(at)
    assert "yes 2 of 3 claim × dimension pairs" in said(at)
    assert "all say the same on 2 of 3 pairs" in said(at)
    # 24 / 377 = 6.4 %: what the offline judges are worth stands beside their numbers
    assert "24 of 377 details" in said(at)


def test_the_switch_recounts_stored_votes_without_a_new_run(run, store):
    at = opened()
    calls = store.run(run).done
    at.segmented_control(key="sp_na").set_value("zero")
    go(at)
    # (.75 + 0 + 1) / 3 = .583: b is 0 now, d and e stay out
    assert tiles(at)["Specificity"] == "0.58"
    assert "n = 3 · 1 undefined, 1 failed" in said(at)
    assert store.run(run).done == calls


def test_the_first_open_cell_is_one_on_which_judges_disagree(run):
    at = opened(sp_answer="a")
    page = html_of(at)
    assert "amount: ✔ yes, 2 of 3 judges" in page
    assert page.index("not word for word") < page.index("normalised") < page.index("semantic")
    assert "the document, characters 3 to 22" in page
    # the contract is open at the evidence
    assert 'data-n="1"' in page
    assert "lease\\.txt" in said(at)


def test_a_chosen_cell_shows_every_judges_vote(run):
    at = opened(sp_answer="a")
    at.selectbox(key="sp_dimension").set_value("term")
    go(at)
    page = html_of(at)
    assert "term: ✖ no, 3 of 3 judges" in page
    assert page.count("✖ no") >= 3
    assert "No passage of the source was pointed at." in said(at)


def test_a_deep_link_opens_answer_and_cell(run):
    at = opened(sp_answer="c", sp_claim="1", sp_dimension="term")
    assert at.selectbox(key="sp_answer").value == "c"
    assert "— n/a: no judge found anything of “term” in this claim." in html_of(at)
    query = parse_qs(urlparse(at.code[0].value).query)
    assert (query["sp_answer"], query["sp_claim"], query["sp_dimension"]) == (["c"], ["1"], ["term"])


@pytest.mark.parametrize("params", [{"sp_claim": "99"}, {"sp_claim": "x"}, {"sp_dimension": "tone"}])
def test_a_stale_address_falls_back(run, params):
    at = opened(sp_answer="a", **params)
    assert "1. " in html_of(at)


def test_an_answer_without_votes_says_why(run):
    at = opened(sp_answer="d")
    assert "There are no votes on this answer: the answer makes no claim" in said(at)


def test_text_of_claims_stays_text(run):
    at = opened(sp_answer="a")
    assert "<img" not in html_of(at)
    assert "&lt;img src=x" in html_of(at)


def test_a_filter_leaves_only_its_answers(run):
    at = opened(f_model="m2")
    assert tiles(at)["Specificity"] == "1.00"
    assert "n = 1 · 1 undefined" in said(at)


def test_a_run_without_specificity_says_how_to_get_it(home, small_run):
    at = opened()
    assert "--metrics specificity" in said(at)
    assert not at.get("plotly_chart")


# clicks and choices -------------------------------------------------------------------------------------------------


def test_a_click_on_a_cell_opens_it(run, monkeypatch):
    at = opened(sp_answer="a")
    assert at.selectbox(key="sp_claim").value == 1
    state = {parts.CLAIMS_CHART: {"selection": {"points": [{"customdata": [0, "term"]}]}}}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "query_params", address := {"sp_claim": "1"})
    parts.picked_cell()
    assert (state["sp_claim"], state["sp_dimension"]) == (1, "term")
    state[parts.ANSWERS_CHART] = {"selection": {"points": [{"customdata": ["c", "amount"]}]}}
    parts.picked_answer()
    assert (state["sp_answer"], state["sp_dimension"]) == ("c", "amount")
    assert "sp_claim" not in state
    assert "sp_claim" not in address, "the claim of another answer"
    state[parts.CLAIMS_CHART] = {"selection": {"points": []}}
    parts.picked_cell()
    assert "sp_claim" not in state, "taking a choice off opens nothing"


def test_the_cell_to_open_first():
    assert parts.first_cell(DETAILS["a"]) == (0, "amount")  # judges disagree
    assert parts.first_cell(DETAILS["b"]) == (0, "amount")  # nothing is stated
    agreed = detail(("x", 0, 1, {"amount": [vote("yes")] * 3}), ("y", 0, 1, {"term": [vote("no")] * 3}))
    assert parts.first_cell(agreed) == (1, "term")  # unsupported before supported


# figures ------------------------------------------------------------------------------------------------------------


def frame(*counts):
    rows = [
        {
            "item_id": f"i{place}", "question": "Why <b>?", "model": "m", "claims": claims, "specificity": 1.0,
            "status": "scored", "reason": None, "yes: amount": yes, "stated: amount": stated, "seen: amount": stated,
            "split: amount": 0,
        }
        for place, (claims, yes, stated) in enumerate(counts)
    ]  # fmt: skip
    return analysis.pd.DataFrame(rows)


def test_one_of_one_does_not_look_like_forty_of_forty():
    answers = frame((40, 1, 1), (40, 40, 40), (40, 0, 0))
    figure = figures.answer_cells(answers, ["amount"], whole=answers)
    outline, filled, words = figure.data[:3]
    # area: 40 claims are 25 px wide, 1 claim sqrt(1/40) of that; nothing stated has no square
    assert list(filled.marker.size) == pytest.approx([25 / 40**0.5, 25, 0])
    assert list(outline.marker.size) == [25, 25, 25]
    assert list(filled.marker.color)[:2] == [1, 1]
    assert list(words.text) == ["1/1", "40/40", "n/a"]
    assert [list(one) for one in filled.customdata] == [["i0", "amount"], ["i1", "amount"], ["i2", "amount"]]
    # 41 yes of 41 stated in all
    assert figure.layout.xaxis.ticktext[0] == "<b>amount</b><br>100 % of 41"
    assert "<b>?" not in figure.data[4].text[0]


def test_cells_carry_sign_word_and_every_vote():
    figure = claim_figures.claim_cells(DETAILS["a"], chosen=(0, "term"))
    labels = figure.data[0]
    assert list(labels.text) == ["✔ yes 2/3", "✖ no"]
    by_name = {trace.name: trace for trace in figure.data if trace.name}
    assert len(by_name["✔ yes"].x) == 2
    assert len(by_name["✖ no"].x) == 4
    assert list(by_name["— n/a"].x) == [None]
    assert len(figure.layout.shapes) == 3  # two cells and the frame of the chosen one
    assert "&lt;img" in figure.data[4].text[0]
    assert list(claim_figures.claim_cells(DETAILS["b"]).data[0].text) == ["— n/a", "— n/a"]


def test_profile_has_intervals_and_n():
    table = analysis.pd.DataFrame(
        [("m", "amount", 0.5, 0.2, 0.8, 12, 6, 12), ("m", "term", None, None, None, 0, 0, 0)],
        columns="model dimension mean low high answers yes stated".split(),
    )
    figure = figures.profiles(table, {"m": "#123456"})
    assert list(figure.data[0].x) == [0.5]
    assert list(figure.data[0].error_x.array) == pytest.approx([0.3])
    assert figure.data[0].marker.color == "#123456"
    assert list(figure.data[1].text) == ["n = 12"]
    assert figures.profiles(table.iloc[1:], {}).layout.annotations[0].text == "No dimension is stated yet"


def test_findings_read_one_by_one_are_those_read_together(run, store, monkeypatch):
    monkeypatch.setattr("lemaj_core.store.results.PORTION", 2)
    together = store.run_findings(run, "specificity", "offline")
    assert [one.item_id for one in together] == ["a", "b", "c", "d", "e"]
    assert list(store.each_finding(run, "specificity", "offline")) == together
    assert list(store.each_finding(run, "readability", "offline")) == []
