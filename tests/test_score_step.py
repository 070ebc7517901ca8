"""The settings of SCORE's metrics on Evaluate: only those that are used are drawn, and they reach the run."""

import pytest
from streamlit.testing.v1 import AppTest

SCRIPT = """
import streamlit as st
from components.score_step import score_step
from lemaj_core.types import RunSettings

chosen = RunSettings(judges=("a/b",), metrics={metrics!r})
st.session_state["made"] = score_step(chosen, ["paraphrase_answer", "x"], {remote})
"""


def step(*metrics, remote=True):
    at = AppTest.from_string(SCRIPT.format(metrics=tuple(metrics), remote=remote), default_timeout=60)
    return run(at)


def run(at):
    at.run()
    assert not at.exception, at.exception
    return at


def made(at):
    return at.session_state["made"]


def labels(at):
    kinds = ("selectbox", "multiselect", "number_input", "button_group")
    return {element.label for kind in kinds for element in at.get(kind)}


@pytest.mark.parametrize(
    ("metrics", "drawn"),
    [
        (("data_points", "readability"), set()),
        (("answer_relevance",), {"Dimensions"}),
        (("robustness",), {"Answers to a paraphrase", "Answers to a perturbation"}),
        (("context_utilization",), {"Proxy models", "Claim dropout"}),
        (("specificity",), {"Dimensions", "Judges per claim (k)", "or k models", "Nothing specific at all counts as"}),
    ],
)
def test_only_what_is_used_is_drawn(metrics, drawn):
    assert labels(step(*metrics)) == drawn


def test_offline_votes_are_not_asked_for():
    assert "Judges per claim (k)" not in labels(step("specificity", remote=False))


def test_choices_reach_the_settings():
    at = step("specificity", "context_utilization", "robustness")
    assert made(at).paraphrase_column == "paraphrase_answer"
    assert made(at).perturbation_column is None
    at.number_input(key="evaluate_votes").set_value(5)
    at.button_group(key="evaluate_preset").set_value("hazard")
    at.button_group(key="evaluate_all_na").set_value("zero")
    at.button_group(key="evaluate_cu_mode").set_value("fast")
    at.selectbox(key="evaluate_perturbation").set_value("x")
    run(at)
    found = made(at)
    assert (found.votes, found.preset, found.all_na, found.cu_mode) == (5, "hazard", "zero", "fast")
    assert (found.perturbation_column, found.proxies) == ("x", ("packaged",))


def test_own_dimensions_start_with_two_that_can_be_changed():
    at = step("specificity")
    at.button_group(key="evaluate_preset").set_value("own")
    run(at)
    assert made(at).preset == "own"
    assert made(at).dimensions == {"party": 0.5, "date": 0.5}
