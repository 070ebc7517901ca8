"""How numbers and foreign text are written."""

import pytest

from components import words
from lemaj_core.analysis.summary import Mean


def test_a_mean_is_written_with_interval_and_n():
    assert words.interval(Mean(0.714, 0.636, 0.777, 72, 3, 1, 76)) == "0.71 [0.64, 0.78], n = 72"
    assert words.interval(Mean(0.5, None, None, 1, 0, 0, 1)) == "0.50, n = 1"
    assert words.interval(Mean(None, None, None, 0, 2, 0, 2)) == "—, n = 0"


def test_what_a_mean_leaves_out_is_said():
    assert words.left_out(Mean(0.5, None, None, 1, 3, 1, 5)) == "3 undefined, 1 failed"
    assert words.left_out(Mean(0.5, None, None, 1, 0, 0, 1)) == ""


@pytest.mark.parametrize(
    ("value", "status", "reason", "said"),
    [
        (0.75, "scored", None, "0.75"),
        (None, "undefined", "no checkable statement", "undefined (no checkable statement)"),
        (float("nan"), "failed", "timeout", "failed (timeout)"),
        (float("nan"), "failed", float("nan"), "failed"),
        (None, None, None, "waiting"),
    ],
)
def test_a_score_is_written_with_its_status(value, status, reason, said):
    assert words.score(value, status, reason) == said


def test_no_number_is_a_dash():
    assert words.number(None) == words.number(float("nan")) == words.percent(None) == "—"
    assert words.number(0.125) == "0.12"  # two decimals, halves to even as Python rounds
    assert words.percent(0.5694) == "56.9 %"


@pytest.mark.parametrize(
    ("cost", "said"),
    [(None, "$? (no price known for m1)"), (0, "$0 (no paid call)"), (0.01234, "$0.0123"), (12.5, "$12.50")],
)
def test_unknown_prices_are_not_nothing(cost, said):
    assert words.money(cost, ("m1",)) == said


@pytest.mark.parametrize(("seconds", "said"), [(None, "—"), (8.24, "8.2 s"), (200, "3 min 20 s"), (3900, "1 h 05 min")])
def test_time_is_written_in_its_unit(seconds, said):
    assert words.seconds(seconds) == said


def test_minutes_become_hours_when_they_are_many():
    assert words.duration(45) == "45 min"
    assert words.duration(318) == "5.3 h"


def test_foreign_text_is_escaped_for_markdown():
    nasty = "![x](http://a/b.png) :red[a] $x$ `c` <b>\n# d"
    escaped = words.plain(nasty)
    for mark in "![]():$`<>#":
        assert all(escaped[place - 1] == "\\" for place, sign in enumerate(escaped) if sign == mark and place)
    assert "\n" not in escaped


def test_long_text_is_cut_with_an_ellipsis():
    assert words.short("a  b\nc") == "a b c"
    assert words.short("abcdefgh", 5) == "abcd…"
