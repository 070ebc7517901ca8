"""Answers as a reader meets it: the list, one answer in every state, evidence, trying out tags, links, nasty text."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from components.answer_list import ON_A_PAGE
from lemaj_core.metrics.data_points import score_tags
from lemaj_core.types import (
    DataPoint,
    Dataset,
    Document,
    Evidence,
    FailureKind,
    Item,
    Judgement,
    Reply,
    Request,
    RunSettings,
    Score,
    Status,
    Tag,
)

ROOT = Path(__file__).resolve().parent.parent
NASTY = '<script>alert(1)</script><img src=x onerror=alert(1)> ![i](http://a/b.png) :red[x] $y$ & "q" 👩‍👩‍👧 </div>'


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Point the app at the store of the other fixtures, with nothing kept from other tests."""
    monkeypatch.setenv("LEMAJ_STORE", f"sqlite:///{tmp_path / 'store.db'}")
    cached.clear()
    st.cache_data.clear()
    yield
    cached.clear()
    st.cache_data.clear()


def opened(**address: str) -> AppTest:
    """Start the app, go to the page with this address, and draw it."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/answers.py")
    for name, value in address.items():
        at.query_params[name] = value
    return drawn(at)


def drawn(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception
    return at


def address(at: AppTest, name: str) -> str:
    """Last value of a name in the address."""
    value = at.query_params[name]
    return value if isinstance(value, str) else value[-1]


def click(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return drawn(at)


def markup(at: AppTest) -> str:
    """All HTML of the page but its stylesheet."""
    return "\n".join(element.value for element in at.get("html") if not element.value.startswith("<style>"))


class _Words(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_data(self, data):
        self.found.append(data)


def text(html: str) -> str:
    words = _Words()
    words.feed(html)
    return "".join(words.found)


def piece(at: AppTest, start: str) -> str:
    """The one HTML element of the page that begins like this."""
    found = [element.value for element in at.get("html") if element.value.startswith(start)]
    assert len(found) == 1, f"{len(found)} elements begin with {start}"
    return found[0]


def tiles(at: AppTest) -> dict[str, str]:
    """What the tiles say: decision and the four scores."""
    parts = re.split(r'<div class="lj-tile[^"]*"', piece(at, '<div class="lj-scores"'))[1:]
    said = [re.findall(r"<(small|b)[^>]*>(.*?)</\1>", part) for part in parts]
    return {text(found[0][1]): text(" | ".join(words for _, words in found[1:])) for found in said}


def rows(at: AppTest) -> list[str]:
    return [text(element.value) for element in at.get("html") if element.value.startswith('<div class="lj-row')]


def answer(at: AppTest) -> str:
    return piece(at, '<div class="lj-text lj-answer"')


def contract(at: AppTest) -> str:
    return piece(at, '<div class="lj-paper"')


# --- getting there -------------------------------------------------------------------------------------------------


def test_cold_deep_link_opens_run_answer_and_point(home, small_run):
    at = AppTest.from_file(str(ROOT / "pages/answers.py"), default_timeout=60)
    for name, value in {"run": small_run.run_id, "judge": "offline", "answer": "a1", "point": "2"}.items():
        at.query_params[name] = value
    drawn(at)
    assert text(answer(at)) == "The rent is EUR 2,000. It is due monthly."
    assert 'class="lj-mark lj-correct lj-chosen" data-n="2"' in answer(at)
    assert "What is the rent?" in text(markup(at))


def test_page_switch_opens_the_answer_closest_to_the_other_decision(home, small_run):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    drawn(at)
    at.switch_page("pages/answers.py")
    drawn(at)
    # a2 (Relevance 2 / 3) and a3 (Correctness 0 / 1) are one flip from being cleared; a1 is cleared: after them
    assert address(at, "answer") == "a2"
    assert [row.split("?")[0] for row in rows(at)][:3] == [
        "How long is the term",
        "Can the landlord terminate",
        "How long does secrecy last",
    ]
    assert any(caption.value == "1 of 6 · a2" for caption in at.caption)


def test_empty_store_says_what_to_do(home, store):
    at = opened()
    assert at.info[0].title == "There is no run yet"
    assert not at.get("html")


def test_unknown_answer_is_said_and_the_list_stays(home, small_run):
    at = opened(answer="a99 <b>")
    assert at.warning[-1].title == "No such answer"
    assert "a99" in at.warning[-1].value
    assert len(rows(at)) == 6
    assert not at.get("html")[-1].value.startswith('<div class="lj-paper"')


def test_filters_that_let_nothing_through_say_so_and_hide_no_open_answer(home, small_run):
    at = opened(answer="a1", f_text="no such words")
    assert rows(at) == []
    assert any("No answer passes the filters" in info.value for info in at.info)
    assert text(answer(at)) == "The rent is EUR 2,000. It is due monthly."
    nothing = opened(f_text="no such words")
    assert any("Take a filter off" in info.value for info in nothing.info)


# --- the list ------------------------------------------------------------------------------------------------------


def test_list_says_question_model_scores_counts_and_decision(home, small_run):
    at = opened(answer="a1", sort="Order of the file")
    shown = rows(at)
    assert [row.split("?")[0] for row in shown] == [
        "What is the rent",
        "How long is the term",
        "Can the landlord terminate",
        "How long does secrecy last",
        "May a party disclose by law",
        "Is the clause fair",
    ]
    # C = 2, M = 1: Correctness 2 / 2, Relevance 4 / 5 = 0.80, which just reaches 0.80; one flip flags it
    assert shown[0].endswith("Correctness 1.00 · Relevance 0.80✓ cleared · 1 flip away")
    assert "✔2" in shown[0]
    assert "✚1" in shown[0]
    # I = 1: Correctness 0 / 1; Relevance 0 / 0
    assert shown[2].endswith("Correctness 0.00 · Relevance undefined⚑ flagged · 1 flip away")
    assert shown[4].endswith("not judged: malformed reply")
    assert shown[5].endswith("waits for the judge")
    bars = [element.value for element in at.get("html") if "lj-row" in element.value]
    assert 'aria-label="2 correct, 1 missing"' in bars[0]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("Order of the file", "a1 a2 a3 a4 a5 a6"),
        ("Lowest Correctness", "a3 a1 a2 a4 a5 a6"),  # 0, 1, 1, then those without
        ("Lowest Relevance", "a4 a2 a1 a3 a5 a6"),  # 0 / 1, 2 / 3, 4 / 5
        ("Failed and undefined first", "a5 a4 a6 a1 a2 a3"),
    ],
)
def test_list_sorts(home, small_run, sort, order):
    at = opened(sort=sort, answer="a1")
    ids = []
    for row in rows(at):
        ids.append(
            next(
                item for item in small_run.store.dataset(small_run.dataset_id).items if row.startswith(item.question)
            ).id
        )
    assert " ".join(ids) == order


def test_a_click_on_a_row_opens_that_answer_and_forgets_the_point(home, small_run):
    at = opened(answer="a1", point="2")
    click(at, "lj_open_2")
    assert address(at, "answer") == "a2"
    assert "point" not in at.query_params
    assert text(answer(at)).startswith("The term is five years.")


def test_previous_and_next_walk_the_list_as_it_is_sorted(home, small_run):
    at = opened(answer="a2", sort="Order of the file")
    assert [at.button(key=key).proto.shortcut for key in ("lj_previous", "lj_next")] == ["p", "n"]
    click(at, "lj_next")
    assert address(at, "answer") == "a3"
    click(click(at, "lj_previous"), "lj_previous")
    assert address(at, "answer") == "a1"
    assert at.button(key="lj_previous").disabled
    assert not at.button(key="lj_next").disabled


def many(store, count: int) -> str:
    """Give a run of many answers, all alike, judged correct."""
    items = tuple(Item(f"q{n}", f"Question {n}?", "Yes.", "d") for n in range(count))
    dataset = store.add_dataset(Dataset("many", items, {"d": Document("d", "d.txt", "1. Yes.")}))
    run_id = store.create_run(dataset, RunSettings(), run_id="many0000")
    points = (DataPoint("p1", "Yes.", Tag.CORRECT, "", 0, 4, "Yes."),)
    for item in items:
        judgement = Judgement(item.id, "offline", Status.SCORED, points)
        store.save_judgement(run_id, judgement, score_tags([Tag.CORRECT])._asdict())
    return run_id


def test_list_shows_a_page_and_turns_to_the_page_of_the_open_answer(home, store):
    many(store, 3 * ON_A_PAGE)
    at = opened(answer=f"q{2 * ON_A_PAGE}", sort="Order of the file")
    assert len(rows(at)) == ON_A_PAGE
    assert rows(at)[0].startswith(f"Question {2 * ON_A_PAGE}?")
    click(at, "lj_previous")
    assert address(at, "answer") == f"q{2 * ON_A_PAGE - 1}"
    assert rows(at)[-1].startswith(f"Question {2 * ON_A_PAGE - 1}?")


def test_no_text_of_an_answer_is_fetched_but_the_open_one(home, store, monkeypatch):
    many(store, 30)
    asked = []
    item, document = type(store).item, type(store).document
    monkeypatch.setattr(type(store), "item", lambda self, *ids: asked.append(ids[1]) or item(self, *ids))
    monkeypatch.setattr(type(store), "document", lambda self, *ids: asked.append(ids[1]) or document(self, *ids))
    opened(answer="q7")
    assert asked == ["q7", "d"]


# --- one answer ----------------------------------------------------------------------------------------------------


def test_points_are_marked_in_the_answer_and_evidence_in_the_contract(home, small_run):
    at = opened(answer="a3")
    assert '<mark class="lj-mark lj-incorrect lj-chosen" data-n="1"' in answer(at)
    assert "</sup>The Landlord may terminate this lease</mark>" in contract(at)
    assert contract(at).count("lj-here") == 1
    said = text(markup(at))
    assert "clause 3 says the opposite" in said
    assert "incorrect by 3 Termination, confidence 0.90" in said
    assert "at 3 Termination" in said
    assert "found in the document word for word" in said


def test_the_worst_point_is_open_first_and_another_can_be_chosen(home, small_run):
    at = opened(answer="a1")
    # a1 has two correct points and a missing one: the missing one is what a reader must see
    assert "lj-chosen" not in answer(at)
    assert '<mark class="lj-mark lj-missing lj-shared lj-chosen" data-n="3 2"' in contract(at)
    click(at, "lj_open_point_1")
    assert address(at, "point") == "1"
    assert 'lj-correct lj-chosen" data-n="1"' in answer(at)
    assert "clause 1 says so" in text(piece(at, '<div class="lj-point lj-open'))


def test_a_missing_point_names_the_clause_that_the_answer_left_out(home, small_run):
    at = opened(answer="a1", point="1")
    assert "Left out of the answer1 missing" in text(markup(at))
    assert "The rent is due on the first day.missing, left out: 1 Rent" in text(markup(at))


@pytest.mark.parametrize("point", ["0", "9", "-1", "x", "1.5", "²"])
def test_a_point_that_does_not_exist_falls_back_to_the_worst_one(home, small_run, point):
    assert 'lj-incorrect lj-chosen" data-n="1"' in answer(opened(answer="a3", point=point))


def test_scores_that_do_not_exist_say_why(home, small_run):
    at = opened(answer="a4")
    # one irrelevant point: C + I = 0, C + R = 1, C + M = 0, 2C + R + M = 1
    assert tiles(at)["Correctness"] == "undefined | no checkable statement"
    assert tiles(at)["Precision"] == "0.00 | 0 / 1 · bucket 0.00"
    assert tiles(at)["Recall"] == "undefined | nothing right and nothing missing"
    assert tiles(at)["Relevance"] == "0.00 | 0 / 1 · bucket 0.00"
    assert "nan" not in text(markup(at)).lower()


def test_a_failed_answer_says_kind_and_reason_and_shows_the_raw_reply(home, small_run):
    store, run_id = small_run.store, small_run.run_id
    store.forget_failed(run_id)
    request = Request("offline", ({"role": "user", "content": "again"},))
    store.add_call(run_id, request, Reply("{broken <b>", "length"), item_id="a5", judge="offline")
    judgement = Judgement(
        "a5", "offline", Status.FAILED, (), FailureKind.TRUNCATED, "it ends in mid-word", (request.key(),)
    )
    store.save_judgement(run_id, judgement, dict.fromkeys(("correctness", "relevance"), Score.failed("cut")))
    at = opened(answer="a5")
    assert at.error[0].title == "This answer could not be judged: truncated reply"
    assert [code.value for code in at.code if "it ends" in code.value or "broken" in code.value] == [
        "it ends in mid-word",
        "{broken <b>",
    ]
    assert text(answer(at)) == "Yes, after prompt written notice."
    assert not [element for element in at.get("html") if element.value.startswith('<div class="lj-scores"')]


def test_an_answer_that_waits_says_so_and_one_without_a_document_too(home, small_run):
    at = opened(answer="a6")
    said = [info.value for info in at.info]
    assert any("waits for its judge" in words for words in said)
    assert any("came without a document" in words for words in said)


def test_claims_that_are_not_there_and_quotes_that_are_not_there_are_said(home, store):
    document = Document("d", "d.txt", "1. Rent. The rent is 5.")
    items = (Item("q", "Rent?", "It is 5.", "d"),)
    run_id = store.create_run(
        store.add_dataset(Dataset("odd", items, {"d": document})), RunSettings(), run_id="0dd00000"
    )
    points = (
        DataPoint("p1", "The lease ends in May.", Tag.INCORRECT, "", evidence=(Evidence("ends in May", "d"),)),
        DataPoint("p2", "It is 5.", None, "", 0, 8, "It is 5."),
    )
    judgement = Judgement("q", "offline", Status.SCORED, points)
    store.save_judgement(run_id, judgement, score_tags(point.tag for point in points)._asdict())
    at = opened(answer="q")
    assert at.warning[-1].title == "Quote not found in the document"
    card = text(piece(at, '<div class="lj-point lj-open'))
    assert "Not in the answer" in card
    assert "Quote not found in the document" in card
    assert '<mark class="lj-mark lj-untagged" data-n="2"' in answer(at)
    assert "lj-here" not in contract(at)
    click(at, "lj_open_point_2")
    assert any("points at no passage for point 2" in caption.value for caption in at.caption)


def test_raw_reply_is_shown_as_it_came(home, small_run):
    at = opened(answer="a1", show="Raw reply of the judge")
    assert '{"points": []}' in [code.value for code in at.code]
    assert any(
        "Reply 1 of 1 · by offline · ended with stop" in caption.value.replace("\\", "") for caption in at.caption
    )


def test_experts_stand_beside_the_judge_with_their_own_marks_and_scores(home, small_run):
    at = opened(answer="a2")
    said = text(markup(at))
    assert "expert-1human expert" in said
    assert "offlinejudge, approximate" in said
    # both: C = 1, R = 1: Correctness 1 / 1, Relevance 2 / 3
    assert [caption.value for caption in at.caption].count("Correctness 1.00, Relevance 0.67") == 2
    beside = [element.value for element in at.get("html") if element.value.startswith('<div class="lj-still"')]
    assert [text(html) for html in beside] == ["The term is five years. It began in 2025."] * 2
    assert all(html.count("<mark ") == 2 for html in beside)


def test_judges_stand_side_by_side(home, store):
    items = (Item("q", "Rent?", "It is 5.", "d"),)
    dataset = store.add_dataset(Dataset("two", items, {"d": Document("d", "d.txt", "1. Rent. The rent is 5.")}))
    run_id = store.create_run(dataset, RunSettings(judges=("offline", "other/model")), run_id="2judges0")
    for judge, tag in (("offline", Tag.CORRECT), ("other/model", Tag.INCORRECT)):
        points = (DataPoint("p1", "It is 5.", tag, "", 0, 8, "It is 5."),)
        store.save_judgement(run_id, Judgement("q", judge, Status.SCORED, points), score_tags([tag])._asdict())
    at = opened(answer="q", judge="other/model", show="Experts and judges")
    assert tiles(at)["Correctness"] == "0.00 | 0 / 1 · bucket 0.00"
    beside = [element.value for element in at.get("html") if element.value.startswith('<div class="lj-still"')]
    assert ["lj-incorrect" in html for html in beside] == [True, False]
    assert "other/modeljudge" in text(markup(at))


# --- trying out tags -----------------------------------------------------------------------------------------------


def flip(at: AppTest, number: int, tag: Tag) -> AppTest:
    if f"lj_open_point_{number}" in {button.key for button in at.button}:
        click(at, f"lj_open_point_{number}")
    at.segmented_control(key=f"lj_flip_{number}").set_value(tag)
    return drawn(at)


def test_a_flipped_tag_changes_scores_bucket_and_decision_exactly(home, small_run):
    at = opened(answer="a1")
    # C = 2, M = 1
    assert tiles(at) == {
        "Decision": "✓ Cleared | 1 flip from being flagged for review. | Needs Correctness 1.00, Relevance 0.80",
        "Correctness": "1.00 | 2 / 2 · bucket 1.00",
        "Precision": "1.00 | 2 / 2 · bucket 1.00",
        "Recall": "0.67 | 2 / 3 · bucket 0.50",
        "Relevance": "0.80 | 4 / 5 · bucket 0.75",
    }
    flip(at, 2, Tag.INCORRECT)
    # C = 1, I = 1, M = 1: 1/2, 1/1, 1/2, 2/3. Two flips clear it: I and ... 4 / 5 with M left is enough: one flip
    assert tiles(at) == {
        "Decision": "⚑ Flagged for review was cleared | 1 flip from being cleared. | "
        "Needs Correctness 1.00, Relevance 0.80",
        "Correctness": "1.00 → 0.50 | 1 / 2 · bucket 0.50 (was 1.00)",
        "Precision": "1.00 | 1 / 1 · bucket 1.00",
        "Recall": "0.67 → 0.50 | 1 / 2 · bucket 0.50",
        "Relevance": "0.80 → 0.67 | 2 / 3 · bucket 0.50 (was 0.75)",
    }
    assert '<mark class="lj-mark lj-incorrect lj-chosen" data-n="2"' in answer(at)
    assert any(caption.value == "The judge said: ✔ correct" for caption in at.caption)
    flip(at, 1, Tag.MISSING)
    # C = 0, I = 1, M = 2: 0/1, 0/0, 0/2, 0/2
    assert tiles(at)["Precision"] == "1.00 → undefined | no true statement"
    assert tiles(at)["Relevance"] == "0.80 → 0.00 | 0 / 2 · bucket 0.00 (was 0.75)"


def test_reset_gives_the_judges_tags_back_and_nothing_is_saved(home, small_run):
    at = flip(opened(answer="a3"), 1, Tag.CORRECT)
    assert tiles(at)["Decision"].startswith("✓ Cleared was flagged")
    assert any("1 tag changed by you, not saved" in badge.value for badge in at.markdown)
    click(at, "lj_reset")
    assert tiles(at)["Correctness"] == "0.00 | 0 / 1 · bucket 0.00"
    assert at.segmented_control(key="lj_flip_1").value == Tag.INCORRECT
    assert "lj_reset" not in {button.key for button in at.button}
    stored = small_run.store.judgement(small_run.run_id, "a3", "offline")
    assert [point.tag for point in stored.points] == [Tag.INCORRECT]


def test_flipping_back_is_no_change_and_flips_stay_with_their_answer(home, small_run):
    at = flip(opened(answer="a3", sort="Order of the file"), 1, Tag.CORRECT)
    click(at, "lj_next")
    assert tiles(at)["Correctness"] == "undefined | no checkable statement"
    assert "lj_reset" not in {button.key for button in at.button}
    click(at, "lj_previous")
    assert tiles(at)["Correctness"] == "0.00 → 1.00 | 1 / 1 · bucket 1.00 (was 0.00)"
    flip(at, 1, Tag.INCORRECT)
    assert tiles(at)["Correctness"] == "0.00 | 0 / 1 · bucket 0.00"
    assert "lj_reset" not in {button.key for button in at.button}


def test_thresholds_of_the_address_decide(home, small_run):
    at = opened(answer="a1", t_relevance="0.81")
    assert tiles(at)["Decision"].startswith("⚑ Flagged for review")
    assert "Relevance 0.81" in tiles(at)["Decision"]


# --- links and foreign text ----------------------------------------------------------------------------------------


def test_the_link_reopens_the_view(home, small_run):
    at = opened(answer="a2", point="2", f_model="model-b", sort="Order of the file", show="Raw reply of the judge")
    link = next(code.value for code in at.code if "run=" in code.value)
    said = {name: values[-1] for name, values in parse_qs(urlparse(link).query).items()}
    assert said["run"] == small_run.run_id
    assert (said["judge"], said["answer"], said["point"]) == ("offline", "a2", "2")
    again = opened(**said)
    assert rows(again) == rows(at)
    assert answer(again) == answer(at)
    assert [code.value for code in again.code][-1] == '{"points": []}'


def test_nasty_text_stays_text_everywhere(home, store):
    document = Document("d", NASTY, f"1. {NASTY}\n2. End.", NASTY)
    items = (Item(NASTY, NASTY, NASTY, "d", model=NASTY),)
    run_id = store.create_run(
        store.add_dataset(Dataset(NASTY, items, {"d": document})), RunSettings(), run_id="nasty000"
    )
    points = (
        DataPoint(NASTY, NASTY, Tag.INCORRECT, NASTY, 3, 20, NASTY[3:20], (Evidence(NASTY, "d", 3, 3 + len(NASTY)),)),
        DataPoint("p2", NASTY, Tag.MISSING, NASTY, evidence=(Evidence(NASTY, "d"),)),
        DataPoint("p3", NASTY, Tag.CORRECT, NASTY),
    )
    request = Request(NASTY, ({"role": "user", "content": NASTY},))
    store.add_call(run_id, request, Reply(NASTY, NASTY, model=NASTY), item_id=NASTY, judge="offline")
    judgement = Judgement(NASTY, "offline", Status.SCORED, points, calls=(request.key(),), notes=(NASTY,))
    store.save_judgement(run_id, judgement, score_tags(point.tag for point in points)._asdict())
    for show in ("Raw reply of the judge", ""):
        at = opened(answer=NASTY, show=show)
        assert text(answer(at)) == NASTY
        assert text(contract(at)) == document.text
        tags = set(re.findall(r"<(\w+)", markup(at)))
        assert tags <= {"div", "p", "span", "b", "small", "h3", "mark", "sup", "blockquote", "footer"}
        assert not re.search(r"<[^>]*\s(on\w+|src|href)=", re.sub(r'"[^"]*"', '""', markup(at)))
        for element in (*at.markdown, *at.caption):
            assert "![i](" not in element.value
    assert NASTY in [code.value for code in opened(answer=NASTY, show="Raw reply of the judge").code]
