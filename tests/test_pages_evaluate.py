"""Evaluate as a user meets it: uploads of every kind, mapping, judges, price, start, and runs in every state."""

import json
import os
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from components.estimate import Estimate
from lemaj_core import settings
from lemaj_core.errors import SettingsError, StoreError
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.types import DataPoint, FailureKind, Judgement, RunSettings, RunState, Score, Status, Strictness, Tag

ROOT = Path(__file__).resolve().parent.parent
HEAD = "question,answer,document,model\n"
LEASE = "LEASE\n\n1. Rent. The rent is EUR 2,000 a month.\n2. Term. The term is five years.\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Give the folder of an empty store that the app uses."""
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'store.db'}")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    cached.clear()
    st.cache_data.clear()
    yield tmp_path
    cached.clear()
    st.cache_data.clear()


@pytest.fixture
def started(monkeypatch):
    """Replace the start of child processes and give the list of starts."""
    calls = []

    def start(run_id, *, store_url, keys=None):
        calls.append((run_id, store_url, dict(keys or {})))
        return 2**22 + 1  # above the largest process id of Linux

    monkeypatch.setattr("lemaj_core.jobs.start", start)
    return calls


@pytest.fixture
def page(home, started):
    """Give the Evaluate page over an empty store."""
    return open_page()


def open_page() -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    return check(at.switch_page("pages/evaluate.py"))


def check(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception
    return at


def drop(at: AppTest, name: str, body: bytes | str, kind: str = "table") -> AppTest:
    """Drop a file; the drop zone gets a new key each time."""
    zone = next(zone for zone in at.file_uploader if zone.key.startswith(kind))
    zone.upload(name, body.encode() if isinstance(body, str) else body)
    return check(at)


def words(at: AppTest) -> str:
    """All text that the page shows outside tables and widgets."""
    kinds = (at.markdown, at.caption, at.text, at.error, at.warning, at.info, at.success, at.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def keys(at: AppTest, kind: str) -> set[str]:
    return {element.key for element in at.get(kind) if element.key}


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return check(at)


def table(at: AppTest, name: str):
    """The table whose accessible name begins so."""
    return next(frame.value for frame in at.dataframe if frame.proto.alt.startswith(name))


# --- data


def test_an_empty_store_says_what_to_do(page):
    assert "No run yet. Choose data in step 1, or use the sample" in words(page)
    assert "Choose data first" in words(page)
    assert "start" not in keys(page, "button")
    assert "earlier" not in keys(page, "selectbox")


def test_a_cp1252_csv_is_read_stored_and_its_buffer_dropped(page, home):
    body = (HEAD + "What is the rent?,The rent is “EUR 2,000” – monthly.,lease.txt,a\n").replace(",000", ".000")
    drop(page, "März.csv", body.encode("cp1252"))
    assert "1252" in next(c.value for c in page.caption if "read as" in c.value)
    assert table(page, "First rows")["answer"][0] == "The rent is “EUR 2.000” – monthly."
    (stored,) = [path for path in (home / "uploads").rglob("*") if path.is_file()]
    assert stored.name == "März.csv"
    assert stored.read_bytes() == body.encode("cp1252")
    assert not [zone for zone in page.file_uploader if zone.key.startswith("table")], "a file replaces its drop zone"


def test_a_semicolon_csv_is_recognised(page):
    drop(page, "a.csv", "question;answer\nWhat, exactly?;Rent, and term.\n")
    assert "separated by semicolon" in words(page)
    assert list(table(page, "First rows")["answer"]) == ["Rent, and term."]


def test_a_broken_file_is_one_sentence_and_the_page_stays_usable(page):
    drop(page, "contract.txt", LEASE, kind="documents")
    drop(page, "broken.xlsx", b"this is no workbook")
    (error,) = page.error
    assert "xlsx" in error.value
    assert "Traceback" not in error.value
    assert "start" not in keys(page, "button")
    press(page, "table_remove")
    assert not page.error
    assert "contract.txt" in words(page), "the document is still there"
    drop(page, "good.csv", "question,answer\nq,a\n")
    assert not page.button(key="start").disabled


def test_an_empty_file_says_so_and_loses_nothing(page):
    drop(page, "good.csv", "question,answer\nq,a\n")
    drop(page, "empty.txt", b"", kind="documents")
    assert "empty.txt: the file is empty" in words(page).replace("\\", "")
    assert list(table(page, "First rows")["answer"]) == ["a"]


def test_problems_stand_with_their_row(page):
    drop(page, "a.csv", "question,answer\nq1,a1\n,a2\nq3,a3\n")
    (problems,) = page.table
    ((row, what, sentence),) = problems.value[["row", "this row was", "problem"]].to_numpy().tolist()
    assert (row, what) == ("3", "left out"), "row 1 is the header"
    assert sentence.startswith("the question is empty")
    assert "1 row left out" in page.expander[0].label


def test_a_problem_that_quotes_the_file_is_escaped(page):
    drop(page, "a.csv", "question,answer,document\nq,a,![x](http://e.example/x.png).pdf\n")
    said = " ".join(page.table[0].value["problem"])
    assert "http" in said
    assert "![" not in said


def test_a_name_that_is_markdown_stays_a_name(page):
    drop(page, "![x](http://e.example/a.png) $x$ [b].csv", "question,answer\nq,a\n")
    assert "![" not in words(page)
    assert not any("e.example" in str(m.value) for m in page.markdown)


def test_the_sample_is_one_click_and_stays_in_the_list(page):
    press(page, "sample")
    assert "72 answers" in words(page).replace("\\", "")
    assert page.selectbox(key="earlier").value in page.selectbox(key="earlier").options or True
    assert len(cached.store().datasets()) == 1
    assert cached.store().datasets()[0].constructed


def test_the_choice_survives_another_page(page):
    drop(page, "a.csv", "question,answer\nq,kept answer\n")
    page.switch_page("pages/methods.py").run()
    check(page.switch_page("pages/evaluate.py"))
    assert list(table(page, "First rows")["answer"]) == ["kept answer"]


# --- columns


def test_columns_with_unknown_names_are_asked_for_and_can_be_assigned(page, started):
    drop(page, "a.csv", "Frage,Antwort,Note\nWas?,Das.,gut\n")
    assert "Say which column is the" in words(page)
    assert "start" not in keys(page, "button")
    boxes = {box.key.split("_", 2)[2]: box for box in page.selectbox if box.key.startswith("map_")}
    boxes["question"].select("Frage")
    boxes["answer"].select("Antwort")
    check(page)
    assert "Say which column" not in words(page)
    press(page, "start")
    ((run_id, _, _),) = started
    run = cached.store().run(run_id)
    (item,) = cached.store().dataset(run.dataset_id).items
    assert (item.question, item.answer, dict(item.extra)) == ("Was?", "Das.", {"Note": "gut"})


def test_a_changed_mapping_changes_what_is_judged(page, started):
    drop(page, "a.csv", "question,answer,answer 2\nq,first,second\n")
    box = next(box for box in page.selectbox if box.key.endswith("_answer"))
    assert box.value == "answer"
    box.select("answer 2")
    check(page)
    press(page, "start")
    run = cached.store().run(started[0][0])
    assert cached.store().dataset(run.dataset_id).items[0].answer == "second"


# --- judges, metrics, price


def test_without_a_document_the_metrics_are_grey_with_the_reason(page):
    drop(page, "a.csv", "question,answer\nq,a\n")
    assert "Undefined: no answer has a document" in words(page)
    # four of the data points, one of specificity, two of context utilization, three baselines
    assert words(page).count(":material/block:") == 4 + 1 + 2 + 3
    drop(page, "lease.txt", LEASE, kind="documents")
    press(page, "table_remove")
    drop(page, "b.csv", "question,answer,document\nq,a,lease.txt\n")
    # without a reference answer the baselines stay grey
    assert words(page).count(":material/block:") == 3


def test_documents_that_come_later_tick_the_data_points(page, started):
    drop(page, "a.csv", "question,answer,document\nWhat is the rent?,EUR 2000.,lease.txt\n")
    assert not page.checkbox(key="evaluate_group_data_points_disabled").value
    drop(page, "lease.txt", LEASE, kind="documents")
    assert page.checkbox(key="evaluate_group_data_points").value
    press(page, "start")
    ((run_id, _, _),) = started
    assert cached.store().run(run_id).settings.metrics == ("data_points", "readability")


def choose(at: AppTest, *judges: str) -> AppTest:
    at.multiselect(key="evaluate_judges").set_value(list(judges))
    return check(at)


def test_a_remote_model_warns_asks_and_prices_before_it_starts(page, started, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "components.start_step.estimate",
        lambda dataset_id, chosen: asked.append((dataset_id, chosen)) or Estimate(4, 1, 5120, 900, None, ("openai/x",)),
    )
    drop(page, "a.csv", HEAD + "q,a,the text of a contract that is long enough to be one,m\n")
    choose(page, "offline", "openai/x")
    (warning,) = [one for one in page.warning if "confidential" in one.value]
    assert "sent to **openai**" in warning.value
    assert "`OPENAI_API_KEY` not found in the environment" in words(page)
    assert page.button(key="start").disabled

    page.checkbox(key="evaluate_allowed_openai").check()
    check(page)
    assert page.button(key="start").disabled
    assert "Work out the price first" in words(page)

    press(page, "plan")
    values = {metric.label: metric.value for metric in page.metric}
    assert values["Calls to models"] == "4"
    assert values["Tokens in"] == "5,120"
    assert values["Price, about"] == "unknown"
    assert "Price unknown for openai/x" in words(page).replace("\\", "")
    assert asked[0][1].judges == ("offline", "openai/x")
    assert "No key is known for openai/x" in words(page).replace("\\", "")

    press(page, "start")
    assert len(started) == 1
    assert cached.store().run(started[0][0]).settings.judges == ("offline", "openai/x")


def test_another_setting_makes_the_price_unknown_again(page, started, monkeypatch):
    monkeypatch.setattr("components.start_step.estimate", lambda *_: Estimate(1, 0, 10, 10, 0.5))
    drop(page, "a.csv", HEAD + "q,a,the text of a contract that is long enough to be one,m\n")
    choose(page, "openai/x")
    page.checkbox(key="evaluate_allowed_openai").check()
    check(page)
    press(page, "plan")
    assert not page.button(key="start").disabled
    page.segmented_control(key="evaluate_strictness").set_value(Strictness.STRICT)
    check(page)
    assert page.button(key="start").disabled


def test_a_price_that_cannot_be_worked_out_is_one_sentence(page, monkeypatch):
    def fail(*_):
        raise SettingsError("no provider is known for 'nonsense'; write PROVIDER/MODEL")

    monkeypatch.setattr("components.start_step.estimate", fail)
    drop(page, "a.csv", HEAD + "q,a,the text of a contract that is long enough to be one,m\n")
    choose(page, "nonsense")
    press(page, "plan")
    (error,) = page.error
    assert error.value.replace("\\", "") == "no provider is known for 'nonsense'; write PROVIDER/MODEL"


def test_a_model_of_ones_own_needs_no_permission(page):
    drop(page, "a.csv", HEAD + "q,a,the text of a contract that is long enough to be one,m\n")
    choose(page, "openai/x")
    page.text_input(key="evaluate_base_url").set_value("http://localhost:8000/v1")
    check(page)
    assert not page.warning
    assert "Text stays on this machine (localhost)" in words(page).replace("\\", "")


def test_a_typed_key_reaches_the_child_and_nothing_else(page, home, started, monkeypatch, capfd):
    monkeypatch.setattr("components.start_step.estimate", lambda *_: Estimate(1, 0, 10, 10, 0.5))
    drop(page, "a.csv", HEAD + "q,a,the text of a contract that is long enough to be one,m\n")
    choose(page, "openai/x")
    page.text_input(key="key_step_openai/x").set_value("sk-very-secret")
    page.checkbox(key="evaluate_allowed_openai").check()
    check(page)
    press(page, "plan")
    press(page, "start")
    assert started[0][1:] == (settings.store_url(), {"openai/x": "sk-very-secret"})
    for path in home.rglob("*"):
        assert not path.is_file() or b"sk-very-secret" not in path.read_bytes(), path
    out, err = capfd.readouterr()
    assert "sk-very-secret" not in out + err + words(page)
    assert page.text_input(key="key_step_openai/x").proto.type == page.text_input[0].proto.PASSWORD


def test_no_judge_no_start(page):
    drop(page, "a.csv", "question,answer\nq,a\n")
    choose(page)
    assert page.button(key="start").disabled
    assert "Choose a judge." in words(page)


# --- start and runs


def test_start_stores_the_data_and_hands_the_run_to_a_child(page, started):
    drop(page, "lease.txt", LEASE, kind="documents")
    drop(page, "leases.csv", HEAD + "What is the rent?,EUR 2000.,lease.txt,system-a\n")
    page.text_input(key=next(k for k in keys(page, "text_input") if k.startswith("evaluate_name"))).set_value("First")
    page.number_input(key="evaluate_beta").set_value(2.0)
    check(page)
    press(page, "start")
    ((run_id, url, given),) = started
    run = cached.store().run(run_id)
    assert (run.name, run.dataset_name, run.total) == ("First", "leases", 1)
    assert run.settings == RunSettings(metrics=("data_points", "readability"), beta=2.0)
    assert (url, given) == (settings.store_url(), {})
    assert cached.store().dataset(run.dataset_id).items[0].document_id is not None
    assert f"run {run_id}" in words(page)


def test_a_start_that_fails_is_one_sentence(page, monkeypatch):
    def fail(*_, **__):
        raise StoreError("the disk is full; free some space and start again")

    monkeypatch.setattr("lemaj_core.jobs.start", fail)
    drop(page, "a.csv", "question,answer\nq,a\n")
    press(page, "start")
    assert [error.value.replace("\\", "") for error in page.error] == [
        "the disk is full; free some space and start again"
    ]


@pytest.fixture
def runs(home, small_dataset, started):
    """Give the store of the app and a function that adds a run with so many answers judged and failed."""
    base = cached.store()
    dataset_id = base.add_dataset(small_dataset)
    ids = [item.id for item in small_dataset.items]

    def add(run_id, *, done=0, failures=(), judges=("offline",), name="run", **changes):
        base.create_run(dataset_id, RunSettings(judges=judges, **changes), name=name, run_id=run_id)
        for item_id in ids[:done]:
            point = DataPoint("p1", "x", Tag.CORRECT)
            judged = Judgement(item_id, judges[0], Status.SCORED, (point,))
            base.save_judgement(run_id, judged, score_tags([Tag.CORRECT])._asdict())
        for item_id, kind in zip(ids[done:], failures, strict=False):
            judged = Judgement(item_id, judges[0], Status.FAILED, (), kind, "why")
            base.save_judgement(run_id, judged, dict.fromkeys(("correctness", "relevance"), Score.failed("why")))
        return run_id

    add.store = base
    return add


def badge(at: AppTest) -> str:
    """The badge of the first card."""
    return next(m.value for m in at.markdown if "-badge[" in m.value and ":material/" in m.value)


def test_a_running_run_shows_progress_and_cancel(runs):
    runs("aaaa0001", done=2)
    runs.store.beat("aaaa0001", os.getpid())
    at = open_page()
    assert "running" in badge(at)
    (bar,) = at.get("progress")
    assert (bar.value, bar.text) == (33, "2 of 6 answers")
    press(at, "cancel_aaaa0001")
    assert runs.store.cancel_requested("aaaa0001")


def test_an_interrupted_run_can_be_resumed(runs, started):
    runs("aaaa0002", done=3)
    at = open_page()
    assert "interrupted" in badge(at)
    assert "asks only for the rest" in words(at)
    press(at, "resume_aaaa0002")
    assert started == [("aaaa0002", settings.store_url(), {})]


def test_a_cancelled_run_is_allowed_again_when_resumed(runs, started):
    runs("aaaa0003", done=1)
    runs.store.request_cancel("aaaa0003")
    at = open_page()
    assert "cancelled" in badge(at)
    press(at, "resume_aaaa0003")
    assert not runs.store.cancel_requested("aaaa0003")
    assert len(started) == 1


def test_a_capped_run_goes_on_with_a_higher_cap(runs, started):
    runs("aaaa0004", done=1, max_cost=2.0)
    runs.store.note_capped("aaaa0004")
    at = open_page()
    assert "spend cap" in badge(at)
    assert at.number_input(key="cap_aaaa0004").value == 4.0
    press(at, "resume_aaaa0004")
    assert runs.store.run("aaaa0004").settings.max_cost == 4.0


def test_a_finished_run_leads_to_the_overview(runs):
    runs("aaaa0005", done=6)
    at = open_page()
    assert "finished" in badge(at)
    assert "cancel_aaaa0005" not in keys(at, "button")
    press(at, "open_aaaa0005")
    assert at.title[0].value == "Overview"


def test_failures_stand_by_kind_with_retry(runs, started):
    kinds = [FailureKind.MALFORMED, FailureKind.TIMEOUT, FailureKind.MALFORMED]
    runs("aaaa0006", done=3, failures=kinds)
    at = open_page()
    shown = [m.value for m in at.markdown if "-badge[" in m.value]
    assert any("2 malformed reply" in text for text in shown)
    assert any("1 timeout" in text for text in shown)
    press(at, "retry_aaaa0006_MALFORMED")
    assert started == [("aaaa0006", settings.store_url(), {})]
    left = runs.store.progress("aaaa0006")
    assert left.failures == {FailureKind.TIMEOUT: 1}
    assert left.done == 4


def test_a_retry_that_cannot_start_says_so(runs, monkeypatch):
    def fail(*_, **__):
        raise StoreError("process 17 is working on this run; wait for it or cancel the run")

    monkeypatch.setattr("lemaj_core.jobs.start", fail)
    runs("aaaa0007", done=2)
    at = open_page()
    press(at, "resume_aaaa0007")
    assert "process 17 is working on this run" in words(at)


def test_several_runs_are_listed_newest_first_with_their_state(runs):
    runs("aaaa0008", done=6, name="first")
    runs("aaaa0009", done=2, name="second")
    runs("aaaa0010", judges=("openai/x",), name="![third](http://e.example)")
    at = open_page()
    rows = table(at, "All runs")
    assert list(rows["run"]) == ["![third](http://e.example)", "second", "first"]
    assert list(rows["state"]) == ["starting", "interrupted", "finished"]
    assert list(rows["done"]) == ["0 / 6", "2 / 6", "6 / 6"]
    assert "![third]" not in words(at)
    assert {run.state for run in cached.runs()} == {RunState.WAITING, RunState.INTERRUPTED, RunState.FINISHED}


def test_a_run_of_an_earlier_session_asks_for_the_key_it_lacks(runs, started):
    runs("aaaa0011", done=1, judges=("openai/x",))
    at = open_page()
    at.text_input(key="key_aaaa0011_openai/x").set_value("sk-again")
    check(at)
    press(at, "resume_aaaa0011")
    assert started == [("aaaa0011", settings.store_url(), {"openai/x": "sk-again"})]


def test_the_page_writes_no_key_into_the_address(runs):
    at = open_page()
    assert "sk-" not in json.dumps(dict(at.query_params))
