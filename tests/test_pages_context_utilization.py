"""Context utilization as a reader meets it: bars per claim, what the judge cites of them, the run, its proxies."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from scipy import stats
from streamlit.testing.v1 import AppTest

from components import cached
from components import context_utilization as parts
from components.figures import context_utilization as figures
from lemaj_core.analysis import context_utilization as analysis
from lemaj_core.judge import context_utilization as examiner
from lemaj_core.metrics.context_utilization import relation
from lemaj_core.models.likelihood import PACKAGED, Agreement, Confidences
from lemaj_core.pipeline import evaluate
from lemaj_core.store import open_store
from lemaj_core.types import (
    DataPoint,
    Dataset,
    Document,
    Evidence,
    Finding,
    Item,
    Judgement,
    RunSettings,
    Status,
    Tag,
)

ROOT = Path(__file__).resolve().parent.parent
RENT = "The Tenant shall pay rent of EUR 2,000 a month."
TERM = "The <b>term</b> of this lease is five years."
PARK = "The Tenant may use two parking spaces."
LEASE = f"{RENT} {TERM} {PARK}"
EFFECTS = {"rent": 0.25, "term": 0.499, "parking": 0.6}


class Proxy:
    """Without the rent the likelihood falls from .5 to .25, without the term it stays, without parking it rises."""

    shares_prefixes = True

    def __init__(self, factor=1.0):
        self.factor = factor

    def confidences(self, question, claims, answer, *, fast=False):
        full = 0.5 * self.factor
        without = [self.factor * next(v for word, v in EFFECTS.items() if word in claim) for claim in claims]
        return Confidences(full, np.array(without), -2.0, -2.0 - np.array(without), 50, 7, fast)

    def confidence(self, question, given, answer):
        return Confidences(0.4 * self.factor, np.array([]), -1.5, np.array([]), 60, 7, False)


class Citing:
    """A judge that cites the term for the one point of the answer, and the rent for what is missing."""

    name, approximate, version = "citing", False, "1"

    async def judge(self, item, document, ask, *, repeat=0):
        if document is None:
            return Judgement(item.id, self.name, Status.SCORED)

        def evidence(words):
            start = document.text.index(words)
            return (Evidence(words, document.id, start, start + len(words)),)

        points = (
            DataPoint("1", item.answer, Tag.CORRECT, "", 0, len(item.answer), item.answer, evidence(TERM)),
            DataPoint("2", "Rent is owed.", Tag.MISSING, "", evidence=evidence(RENT)),
        )
        return Judgement(item.id, self.name, Status.SCORED, points)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Point the app to a temporary store, and the examiner to proxies that need no model."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    monkeypatch.setenv("LEMAJ_STORE", url)
    monkeypatch.setattr(examiner, "proxy", lambda name: Proxy(0.8 if name == "second" else 1.0))
    monkeypatch.setattr(
        examiner, "agreement", lambda model, *asked: Agreement(*[model.confidences(*asked, fast=True)] * 2, 0.97, True)
    )
    cached.clear()
    yield url
    cached.clear()
    st.cache_data.clear()


def run_of(home, *, metrics=("data_points", "context_utilization"), **settings):
    items = [
        Item("a", "How long is the term?", "Five years.", "lease", model="m1"),
        Item("b", "What is the <rent>?", "EUR 2,000.", "lease", model="m2"),
        Item("c", "Who wrote this?", "Nobody knows.", None, model="m2"),
    ]
    documents = {"lease": Document("lease", "lease.txt", LEASE)}
    with open_store(home) as store:
        chosen = RunSettings(judges=("citing",), metrics=metrics, **settings)
        done = evaluate(
            Dataset("d", tuple(items), documents), settings=chosen, store=store, judge_objects={"citing": Citing()}
        )
    return done.id


def opened(**params):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90)
    at.switch_page("pages/context_utilization.py")
    for name, value in params.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, [found.message for found in at.exception]
    return at


def said(at):
    return " | ".join(element.value for element in (*at.markdown, *at.caption, *at.info, *at.warning))


# offline claims by sentence, although the judge is another: the examiner asks by the judge's name
@pytest.fixture(autouse=True)
def by_sentence(monkeypatch):
    monkeypatch.setattr(examiner, "OFFLINE", "citing")


def test_means_stand_with_n_and_exact_is_said(home):
    run_of(home)
    at = opened()
    figure = {metric.label: metric.value for metric in at.metric}
    # Delta = .25, .001, -.1: CU = .151 / 3 = .0503; CU_rel = .0503 / .5 = 10.1 %
    assert figure["Context utilization"] == "0.0503"
    assert figure["Relative context utilization"] == "10.1 %"
    assert figure["Claims per answer"] == "3.0"
    assert "n = 2 · 1 undefined" in said(at)
    assert f"exact, by {PACKAGED}".replace("-", "\\-") in said(at)
    assert "Fast approximation" not in said(at)


def test_what_the_judge_cites_and_the_proxy_ignores_and_the_reverse(home):
    run_of(home)
    at = opened(cu_answer="a")
    text = said(at)
    ignored = text[text.index("ignored by the proxy") : text.index("Needed by the proxy")]
    needed = text[text.index("Needed by the proxy") :]
    assert "term" in ignored
    assert "rent of EUR" not in ignored
    # the rent is evidence of a missing point only: the answer cannot have been written from it
    assert "rent of EUR" in needed.split("|")[1]
    assert "\\<b\\>term" in text


def test_an_answer_without_context_says_why(home):
    run_of(home)
    at = opened(cu_answer="c")
    assert "no retrieved contexts and no document" in said(at)
    assert not any("Each claim" in str(chart.proto.spec) for chart in at.get("plotly_chart"))


def test_a_fast_run_is_called_approximate_with_its_agreement(home, monkeypatch):
    monkeypatch.setattr(examiner, "CHECKED", 1)
    run_of(home, cu_mode="fast")
    text = said(opened())
    assert "Fast approximation: Checked on 2 answers" in text.replace("\\", "")
    assert "0.97 on average" in text.replace("\\", "")
    assert "the same on 2 of 2" in text.replace("\\", "")
    assert "On the benchmark" in text


def test_two_proxies_stand_side_by_side(home):
    run_of(home, proxies=("packaged", "second"))
    at = opened()
    table = at.dataframe[0].value
    assert table["proxy"].tolist() == [PACKAGED, "second"]
    # the second gives .8 of every likelihood: CU = .8 x .0503, CU_rel the same
    assert table["CU"].tolist() == ["0.0503", "0.0403"]
    assert table["n"].tolist() == [2, 2]
    assert "2 answers have both" in table["rho(claims, documents)"].iloc[0]
    assert "second: Pearson" in said(at)
    at.segmented_control(key="cu_proxy").set_value("second").run()
    assert not at.exception
    assert "likelihood 0.4000".replace(".", "\\.") in said(at)


def test_switches_change_the_figure_and_no_score(home):
    run_of(home)
    at = opened(cu_answer="b", cu_order="in the order of the context", cu_kind="entropy", cu_effect="Δ")
    spec = str(at.get("plotly_chart")[0].proto.spec)
    assert "Each claim left out in turn by entropy (exact)" in spec
    assert at.metric[0].value == "0.0503"


def test_a_run_without_data_points_cites_nothing(home):
    run_of(home, metrics=("context_utilization",))
    assert "known only in runs with Legal Data Points" in said(opened())


def row(number, kind, delta, text="A claim.", cited=False):
    return {"number": number, "text": text, "kind": kind, "cited": cited, "delta": delta, "delta_rel": 2 * delta}


def test_bars_have_colour_sign_and_word_and_the_waterfall_adds_up():
    rows = [row(1, "necessary", 0.2, "<i>x</i> " * 20, True), row(2, "distracting", -0.05), row(3, "necessary", 0.1)]
    figure = figures.claim_bars(rows, key="delta", title="t", running=True)
    named = {trace.name: trace for trace in figure.data}
    assert list(named) == ["▲ necessary: 2", "● neutral: 0", "▼ distracting: 1", "sum"]
    assert list(named["▲ necessary: 2"].base) == [0.0, pytest.approx(0.15)]
    assert list(named["▲ necessary: 2"].customdata) == [1, 3]
    assert named["sum"].x[0] == pytest.approx(0.25)
    assert "3 × +0.0833" in named["sum"].text[0]
    ticks = figure.layout.yaxis.ticktext
    assert "§" in ticks[0]
    assert "§" not in ticks[1]
    assert "<i>" not in ticks[0]
    percent = figures.claim_bars(rows, key="delta_rel", title="t")
    assert list(percent.data[0].x) == [pytest.approx(40.0), pytest.approx(20.0)]
    assert set(percent.data[0].base) == {0.0}
    assert figures.claim_bars([], key="delta", title="t").layout.annotations[0].text == "The context has no claims"


def test_spread_in_percent_and_without_scores():
    frame = pd.DataFrame(
        {"model": ["m", "m", None], "question": "q", "cu_rel": [0.01, 0.03, np.nan],
         "cu_rel_status": ["scored", "scored", "undefined"]}
    )  # fmt: skip
    box, middle = figures.spread(frame, "cu_rel").data
    assert list(box.x) == [1.0, 3.0]
    assert middle.x[0] == pytest.approx(2.0)
    # t = 12.706 with 1 degree of freedom, s = 1.414: half = 12.706 x 1.414 / 1.414 = 12.71
    assert middle.error_x.array[0] == pytest.approx(12.706, abs=0.01)
    nothing = figures.spread(frame[frame["model"].isna()], "cu_rel")
    assert nothing.layout.annotations[0].text == "No answer could be scored"


def test_cited_by_place_by_words_and_not_elsewhere():
    claims = [
        {"text": "The term is five years.", "document": "d", "start": 10, "end": 30},
        {"text": "Rent is due.", "document": None, "start": None, "end": None},
        {"text": "Nobody said so.", "document": "d", "start": 100, "end": 120},
    ]
    inside = Evidence("term", "d", 12, 16)
    assert analysis.cited(claims, [inside]) == [True, False, False]
    # 9 of the shorter one's 20 characters are shared: less than half
    assert analysis.cited(claims, [Evidence("x" * 30, "d", 21, 51)]) == [False, False, False]
    assert analysis.cited(claims, [Evidence("x" * 30, "d", 20, 50)]) == [True, False, False]
    assert analysis.cited(claims, [Evidence("term", "other", 12, 16)]) == [False, False, False]
    assert analysis.cited(claims, [Evidence("so RENT  is due; and")]) == [False, True, False]
    assert analysis.cited(claims, [Evidence(" ")]) == [False, False, False]


def test_relations_equal_scipy():
    rng = np.random.default_rng(3)
    x = np.round(rng.normal(size=40), 1)
    y = np.round(x + rng.normal(size=40), 1)
    assert relation(x, y).value == pytest.approx(stats.pearsonr(x, y).statistic)
    ends = stats.pearsonr(x, y).confidence_interval()
    assert (relation(x, y).low, relation(x, y).high) == pytest.approx((ends.low, ends.high))
    assert relation(x, y, ranks=True).value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert relation([1, 2, np.nan], [1, 2, 3]).reason == "2 answers have both; at least 3 are needed"
    assert relation([1, 1, 1], [1, 2, 3]).reason == "all values of one side are equal"
    assert relation([1, 2, 3], [2, 4, 7]).low is None


def test_a_failed_finding_is_a_row_without_numbers():
    table = analysis.per_proxy([Finding("a", "context_utilization", "p", Status.FAILED, reason="too long")])
    assert table.loc[0, ["status", "reason", "cu_status"]].tolist() == ["failed", "too long", "failed"]
    assert table["cu"].isna().all()
    assert analysis.by_proxy(table)[0]["cu"].n_failed == 1
    assert parts.how_found([True, False]) == "partly a fast approximation"
    assert parts.how_found([]) == "exact"
