"""The figures of Overview show exactly the numbers they are given."""

import numpy as np
import pandas as pd
import pytest

from components.figures import overview, plane
from components.palette import TAGS, badge_text, colour_for, colours
from components.palette import style as tag_style
from lemaj_core.analysis import summary
from lemaj_core.metrics.data_points import score_counts
from lemaj_core.types import Tag

NASTY = "<img src=x onerror=alert(1)>\"'&"


def answers(rows):
    """Build a frame of scored answers from (id, model, type, C, I, R, M)."""
    table = []
    for key, model, kind, *counts in rows:
        row = {"item_id": key, "question": f"Question {key}", "model": model, "document_type": kind, "status": "scored"}
        row |= dict(zip(map(str, Tag), counts, strict=True))
        for name, score in score_counts(*counts)._asdict().items():
            row |= {name: score.value, f"{name}_status": str(score.status), f"{name}_reason": score.reason}
        table.append(row)
    return pd.DataFrame(table)


@pytest.fixture
def five():
    return answers(
        [
            ("a", "Atlas", "Lease", 3, 1, 0, 0),
            ("b", "Atlas", "NDA", 1, 9, 0, 0),  # Correctness .1, Relevance 1: blind spot
            ("c", "Birch", "Lease", 1, 0, 0, 9),  # Correctness 1, Relevance 2/11: blind spot
            ("d", "Birch", "NDA", 2, 0, 0, 0),
            ("e", "Birch", "NDA", 0, 0, 2, 0),  # Correctness undefined
        ]
    )


def trace(figure, name):
    return next(part for part in figure.data if part.name == name)


def test_tag_shares_are_percent_of_the_points_of_each_group(five):
    figure = overview.tag_shares(summary.tags_by(five, "model"), by="model")
    # Atlas: 4 C, 10 I of 14 points; Birch: 3 C, 2 R, 9 M of 14 points
    assert list(trace(figure, "✔ correct").x) == pytest.approx([400 / 14, 300 / 14])
    assert list(trace(figure, "✖ incorrect").customdata) == [10, 0]
    assert list(trace(figure, "◐ irrelevant").customdata) == [0, 2]
    assert list(trace(figure, "✚ missing").x) == pytest.approx([0, 900 / 14])
    assert list(trace(figure, "✔ correct").y) == ["Atlas<br>14 points, 2 answers", "Birch<br>14 points, 3 answers"]
    assert figure.layout.title.text == "Data points per model, by tag"
    assert figure.layout.xaxis.title.text == "share of data points, %"


def test_every_tag_has_its_own_pattern_so_that_colour_is_not_the_only_sign(five):
    figure = overview.tag_shares(summary.tags_by(five, "model"), by="model")
    patterns = [part.marker.pattern.shape or "" for part in figure.data]
    assert patterns == ["", "x", ".", "/"]
    assert len({look.underline for look in TAGS.values()}) == len({look.icon for look in TAGS.values()}) == 4


def test_means_carry_interval_and_what_was_left_out(five):
    table = summary.by(five, "model")
    figure = overview.means(table, by="model")
    correctness = trace(figure, "Correctness")
    # Atlas (.75 + .1) / 2; Birch (1 + 1) / 2, one undefined
    assert list(correctness.x) == pytest.approx([0.425, 1.0])
    birch = table[(table.group == "Birch") & (table.metric == "correctness")].iloc[0]
    assert correctness.customdata[1].tolist() == pytest.approx([birch.low, 1.0, 2, 1, 0])
    assert correctness.error_x.arrayminus[1] == pytest.approx(1 - birch.low)
    assert list(figure.layout.yaxis.ticktext) == ["Atlas<br>n = 2", "Birch<br>n = 3"]


def test_a_group_without_interval_still_has_its_mean():
    figure = overview.means(summary.by(answers([("a", "Solo", "Lease", 3, 1, 0, 0)]), "model"), by="model")
    correctness = trace(figure, "Correctness")
    assert list(correctness.x) == [0.75]
    assert list(correctness.error_x.array) == [0.0]


def test_blind_spots_are_one_high_and_one_low_score(five):
    assert plane.blind_spots(five).tolist() == [False, True, True, False, False]


def test_failed_scores_are_never_blind_spots(five):
    five["relevance_status"] = "failed"
    assert not plane.blind_spots(five).any()


def test_plane_has_every_answer_with_both_scores_and_rings_the_blind(five):
    figure = plane.score_plane(five, {"Atlas": "#111111", "Birch": "#222222"}, thresholds=(1.0, 0.8))
    assert [part.name for part in figure.data] == ["Atlas", "Birch", "blind spot"]
    shown = {row[0]: (row[2], row[3]) for part in figure.data[:2] for row in part.customdata}
    assert set(shown) == {"a", "b", "c", "d"}  # e has no Correctness
    assert shown["a"] == (0.75, 1.0)
    assert [row[0] for row in trace(figure, "blind spot").customdata] == ["b", "c"]
    assert trace(figure, "Atlas").marker.color == "#111111"
    corner = figure.layout.shapes[0]
    assert (corner.x0, corner.y0) == pytest.approx((0.78, 0.955))


def test_equal_scores_are_moved_apart_and_others_are_not():
    x, y = plane.spread(np.array([1.0, 1.0, 0.5]), np.array([1.0, 1.0, 0.5]))
    assert (x[0], y[0]) == (1.0, 1.0)
    assert (x[2], y[2]) == (0.5, 0.5)
    assert np.hypot(x[1] - 1, y[1] - 1) == pytest.approx(0.011)


def test_many_answers_become_a_density_that_counts_them_all():
    rows = [(f"i{n}", "Atlas", "Lease", 3, 1, 0, 0) for n in range(plane.DENSE)]
    rows += [("blind", "Birch", "Lease", 1, 9, 0, 0)]
    figure = plane.score_plane(answers(rows), {}, thresholds=(1.0, 0.8))
    heat = figure.data[0]
    assert heat.type == "heatmap"
    assert np.nansum(heat.customdata) == plane.DENSE + 1
    # Correctness .75 is row 15 of 0, .05, ..., 1; Relevance 1 is column 20
    assert heat.customdata[15][20] == plane.DENSE
    assert [row[0] for row in figure.data[1].customdata] == ["blind"]
    assert len(figure.to_json()) < 100_000


def test_nothing_to_draw_says_so():
    one = answers([("a", "Atlas", "Lease", 0, 0, 0, 0)])
    for figure in (
        overview.tag_shares(summary.tags_by(one, "model"), by="model"),
        overview.means(summary.by(one, "model"), by="model"),
        plane.score_plane(one, {}, thresholds=(1.0, 0.8)),
    ):
        assert not figure.data
        assert figure.layout.annotations[0].text in {
            "No data points yet", "No answer is scored yet", "No answer has both scores",
        }  # fmt: skip


def test_many_groups_are_cut_to_the_largest_and_the_title_says_so():
    rows = [(f"{n}-{k}", f"Model {n:02}", "Lease", 2, 0, 0, 0) for n in range(25) for k in range(2 if n > 4 else 1)]
    figure = overview.means(summary.by(answers(rows), "model"), by="model")
    assert figure.layout.title.text == "Mean scores by model (20 largest of 25)"
    assert len(figure.layout.yaxis.ticktext) == 20
    assert figure.layout.yaxis.ticktext[0].startswith("Model 05")


def test_foreign_text_never_becomes_markup():
    rows = answers([("a", NASTY, NASTY, 3, 1, 0, 0), ("b", NASTY, NASTY, 1, 0, 0, 0)])
    rows["question"] = NASTY
    for figure in (
        overview.tag_shares(summary.tags_by(rows, "model"), by="model"),
        overview.means(summary.by(rows, "document_type"), by="document type"),
        plane.score_plane(rows, {}, thresholds=(1.0, 0.8)),
    ):
        assert "<img" not in str(figure.to_dict())


def test_colours_do_not_depend_on_order_and_never_repeat_for_a_few_names():
    assert colours(["b", "a", "b"]) == colours(["a", "b"])
    assert len(set(colours([f"m{n}" for n in range(9)]).values())) == 9
    assert colour_for("b", ["a", "c"]) == colours(["a", "b", "c"])["b"]


def test_an_unchecked_point_has_its_own_sign():
    assert tag_style(None).word == "not checked"
    assert badge_text("missing") == "✚ missing"
