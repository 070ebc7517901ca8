"""The figures of Triage show exactly the curves they are given, and the thresholds of the paper."""

import numpy as np
import pandas as pd
import pytest

from components.figures import triage as figures
from lemaj_core.analysis import triage
from lemaj_core.metrics.data_points import score_counts
from lemaj_core.types import Tag


@pytest.fixture
def answers():
    """Four answers of 10 minutes: clears always, clears up to Relevance .75, incorrect, undefined."""
    rows = []
    for counts, expert in (((4, 0, 0, 0), 1.0), ((3, 0, 2, 0), 0.5), ((3, 1, 0, 0), 0.0), ((0, 0, 0, 0), None)):
        row = {"status": "scored", "minutes": 10.0, "human_correctness": expert, "human_relevance": None, "untagged": 0}
        row |= dict(zip(map(str, Tag), counts, strict=True))
        for name, score in score_counts(*counts)._asdict().items():
            row |= {name: score.value, f"{name}_status": str(score.status)}
            row |= {f"{name}_numerator": score.numerator, f"{name}_denominator": score.denominator}
        rows.append(row)
    return pd.DataFrame(rows)


def drawn(answers, correctness=1.0, relevance=0.8):
    return figures.time_saved(
        triage.curve(answers, "relevance", other=str(correctness)),
        triage.curve(answers, "correctness", other=str(relevance)),
        correctness=correctness,
        relevance=relevance,
    )


def test_time_saved_is_percent_at_every_threshold(answers):
    figure = drawn(answers)
    by_relevance = figure.data[0]
    saved = dict(zip(by_relevance.x, by_relevance.y, strict=True))
    assert by_relevance.name == "Relevance varies, Correctness ≥ 1"
    # Correctness 1 is reached by two answers; the second has Relevance 6/8 = .75
    assert [saved[0.0], saved[0.75], saved[0.76], saved[1.0]] == pytest.approx([50, 50, 25, 25])
    by_correctness = next(part for part in figure.data if str(part.name).startswith("Correctness varies"))
    saved = dict(zip(by_correctness.x, by_correctness.y, strict=True))
    # Relevance .8 is reached by the first and the third, whose Correctness is 3/4
    assert [saved[0.75], saved[0.76]] == pytest.approx([50, 25])


def test_the_scale_of_both_thresholds_begins_at_nothing(answers):
    heat = figures.both_thresholds(triage.grid(answers), correctness=1.0, relevance=0.8).data[0]
    # at thresholds of 0 the three answers with both scores are cleared: 30 of 40 minutes
    assert (heat.zmin, heat.zmax) == (0, 75)
    none = triage.grid(answers).assign(time_saved=0.0)
    heat = figures.both_thresholds(none, correctness=1.0, relevance=0.8).data[0]
    assert (heat.zmin, heat.zmax) == (0, 1)


def test_marks_stand_at_the_chosen_thresholds(answers):
    figure = drawn(answers, relevance=0.75)
    marks = [part for part in figure.data if part.mode == "markers"]
    assert [(part.x[0], part.y[0]) for part in marks] == [(0.75, 50.0), (1.0, 50.0)]


def test_the_papers_thresholds_are_lines_with_their_names(answers):
    figure = drawn(answers)
    assert [shape.x0 for shape in figure.layout.shapes] == [0.80, 0.85]
    assert figure.layout.annotations[0].text == "Relevance in the paper: 0.80 own contracts, 0.85 LegalBench"
    assert figure.layout.yaxis.title.text == "review time saved, %"


def test_risk_shows_what_was_seen_and_its_bound(answers):
    figure = figures.risk(triage.curve(answers, "relevance"), relevance=0.8)
    bound, seen = figure.data
    # up to .75 one of two cleared and scored answers is defective; above, none of one: bound 1 - .05 = .95
    assert dict(zip(seen.x, seen.y, strict=True))[0.75] == pytest.approx(50)
    assert dict(zip(seen.x, seen.y, strict=True))[0.8] == 0
    assert dict(zip(bound.x, bound.y, strict=True))[0.8] == pytest.approx(95)
    assert seen.customdata[75].tolist() == [1, 2]


def test_risk_without_labels_says_so(answers):
    answers["human_correctness"] = np.nan
    figure = figures.risk(triage.curve(answers, "relevance"), relevance=0.8)
    assert not figure.data
    assert figure.layout.annotations[0].text == "No cleared answer has an expert's score"


def test_heatmap_has_every_pair_and_a_cross_at_the_chosen_one(answers):
    figure = figures.both_thresholds(triage.grid(answers), correctness=1.0, relevance=0.8)
    heat, cross = figure.data
    assert (len(heat.y), len(heat.x)) == (21, 21)
    # Correctness >= .75 and Relevance >= .75: answers 1, 2 and 3 of 4
    assert heat.z[15][15] == pytest.approx(75)
    assert heat.customdata[20][20] == pytest.approx(25)
    assert (cross.x[0], cross.y[0]) == (0.8, 1.0)
