"""Annotate as an expert meets it: blind, nothing chosen before, each change saved, resumed, and seen by Agreement."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import cached
from components.annotate_contract import hits, sentence
from components.selection import Selection, place
from components.tag_keys import fresh
from lemaj_core.types import Tag

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def home(small_run, monkeypatch):
    """Point the app to the small run's store."""
    monkeypatch.setenv("LEMAJ_STORE", small_run.store.url)
    cached.clear()
    st.cache_resource.clear()
    yield small_run
    cached.clear()
    st.cache_data.clear()


def opened(page="pages/annotate.py", **params):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page(page)
    for name, value in params.items():
        at.query_params[name] = value
    return looked(at.run())


def looked(at):
    assert not at.exception, [found.message for found in at.exception]
    return at


def click(at, key):
    return looked(at.button(key=key).click().run())


def said(at):
    return " | ".join(element.value for element in (*at.markdown, *at.caption, *at.info, *at.warning, *at.error))


def shown(at):
    return " ".join(block.proto.body for block in at.get("html"))


def tags(run, item, who="ann"):
    label = run.store.label(run.dataset_id, item, who)
    return None if label is None else [point.tag for point in label.points]


def test_an_annotator_must_say_who_it_is(home):
    at = opened()
    assert not [button for button in at.button if button.key == "lj_tag_correct"]
    at.text_input(key="lj_who_name").set_value("  ann ")
    looked(at.button[-1].click().run())
    assert at.button(key="lj_tag_correct")
    assert "0 of 6" in said(at)
    assert home.store.labels(home.dataset_id) == []  # looking is not saying


def test_nothing_of_the_judge_is_shown_and_nothing_is_chosen(home):
    at = opened(annotator="ann", answer="a1")
    assert all(at.button(key=f"lj_tag_{tag}").proto.type == "secondary" for tag in Tag)
    html = shown(at)
    assert "clause 1 says so" not in html
    assert "The rent is due on the first day." not in html  # the judge's missing point
    assert html.count("no tag yet") == 3  # two in the list, and the chosen one
    assert "Experts:" not in html
    assert [scale.value for scale in at.get("button_group")] in ([None, None], [[], []])
    assert at.button(key="lj_finish").disabled


def test_tags_are_saved_at_once_resumed_and_counted_when_finished(home):
    at = opened(annotator="ann", answer="a3")
    click(at, "lj_tag_correct")
    assert tags(home, "a3") == [Tag.CORRECT]
    assert "saved " in said(at)
    assert home.store.answers(home.run_id).set_index("item_id")["human_correctness"].isna()["a3"]
    again = opened(annotator="ann", answer="a3")
    assert again.button(key="lj_tag_correct").proto.type == "primary"
    click(again, "lj_finish")
    label = home.store.label(home.dataset_id, "a3", "ann")
    assert label.finished is not None
    assert (label.run_id, label.judge, label.mode) == (home.run_id, "offline", "segmented")
    # the judge called the point incorrect (0 / 1), the expert correct (1 / 1)
    row = home.store.answers(home.run_id).set_index("item_id").loc["a3"]
    assert (row["correctness"], row["human_correctness"]) == (0.0, 1.0)
    agreement = opened("pages/agreement.py", expert="ann")
    assert "Expert **incorrect**" not in said(agreement)
    assert "1 points of the judge" in said(agreement)


def test_tagging_goes_on_to_the_next_point_and_finishing_to_the_next_answer(home):
    at = opened(annotator="ann")
    click(at, "lj_tag_correct")
    assert tags(home, "a1") == [Tag.CORRECT, None]
    assert at.button(key="lj_finish").disabled
    click(at, "lj_tag_irrelevant")
    assert tags(home, "a1") == [Tag.CORRECT, Tag.IRRELEVANT]
    click(at, "lj_finish")
    assert at.selectbox(key="lj_annotate_answer").value == "a2"
    assert all(at.button(key=f"lj_tag_{tag}").proto.type == "secondary" for tag in Tag)
    assert "1 of 6" in said(at)
    assert opened(annotator="ann").selectbox(key="lj_annotate_answer").value == "a2"
    assert opened(annotator="ben").selectbox(key="lj_annotate_answer").value == "a1"


def test_scales_and_note_are_saved_and_not_carried_over(home):
    at = opened(annotator="ann", answer="a6", mode="scratch")
    scale = f"{home.dataset_id} a6 ann"
    looked(at.get_by_key(f"lj_scale_relevance_{scale}").set_value(0.75).run())
    looked(at.text_area(key=f"lj_note_{scale}").set_value("says nothing").run())
    label = home.store.label(home.dataset_id, "a6", "ann")
    assert (label.correctness, label.relevance, label.note, label.mode) == (None, 0.75, "says nothing", "scratch")
    at.selectbox(key="lj_annotate_answer").set_value("a5")
    looked(at.run())
    other = f"{home.dataset_id} a5 ann"
    assert at.text_area(key=f"lj_note_{other}").value in ("", None)
    assert at.get_by_key(f"lj_scale_relevance_{other}").value in (None, [])


def test_points_can_be_split_joined_added_and_removed(home):
    at = opened(annotator="ann", answer="a1")
    first = f"{home.dataset_id} a1 ann"
    looked(at.text_area(key=f"lj_words_{first}_p1").set_value("The rent is\nEUR 2,000.").run())
    click(at, "lj_reword")
    points = home.store.label(home.dataset_id, "a1", "ann").points
    answer = home.store.item(home.dataset_id, "a1").answer
    assert [point.text for point in points] == ["The rent is", "EUR 2,000.", "It is due monthly."]
    assert [answer[point.start : point.end] for point in points] == [point.text for point in points]
    click(at, "lj_join")
    points = home.store.label(home.dataset_id, "a1", "ann").points
    assert [point.text for point in points] == ["The rent is EUR 2,000.", "It is due monthly."]
    looked(at.text_area(key=f"lj_missing_{first}_2").set_value("Rent is due on the first day.").run())
    click(at, "lj_add_missing")
    assert tags(home, "a1") == [None, None, Tag.MISSING]
    click(at, "lj_remove")
    assert tags(home, "a1") == [None, None]


def test_a_passage_found_by_search_is_linked(home):
    at = opened(annotator="ann", answer="a3")
    looked(at.text_input(key=f"lj_search_{home.dataset_id} a3 ann").set_value("may TERMINATE").run())
    assert "1 of 1" in said(at)
    click(at, "lj_link")
    piece = home.store.label(home.dataset_id, "a3", "ann").points[0].evidence[0]
    document = home.store.document(home.dataset_id, "lease")
    assert document.text[piece.start : piece.end] == piece.quote
    assert piece.quote.startswith("3. Termination. The Landlord may terminate")
    click(at, "lj_unlink_0")
    assert home.store.label(home.dataset_id, "a3", "ann").points[0].evidence == ()


def test_a_second_reader_sees_the_judge_only_after_committing(home):
    at = opened(annotator="ann", answer="a2", mode="second")
    click(at, "lj_tag_irrelevant")
    click(at, "lj_tag_irrelevant")
    assert "judge: " not in shown(at)
    click(at, "lj_commit")
    assert "judge: correct" in shown(at)
    click(at, "lj_open_point_1")
    click(at, "lj_tag_correct")
    click(at, "lj_finish")
    label = home.store.label(home.dataset_id, "a2", "ann")
    assert [point.tag for point in label.committed] == [Tag.IRRELEVANT, Tag.IRRELEVANT]
    assert [point.tag for point in label.points] == [Tag.CORRECT, Tag.IRRELEVANT]
    at = opened(annotator="ann", answer="a2")
    # two points compared, one changed (50 %), to the judge's tag
    assert "2 points; 1 tags (50.0 %) changed" in said(at).replace("\\", "")


def test_a_finished_answer_changes_only_when_opened_again(home):
    at = opened(annotator="ann", answer="a3")
    click(at, "lj_tag_correct")
    click(at, "lj_finish")
    at = opened(annotator="ann", answer="a3")
    assert at.button(key="lj_tag_incorrect").disabled
    click(at, "lj_reopen")
    click(at, "lj_tag_incorrect")
    assert tags(home, "a3") == [Tag.INCORRECT]
    assert len(home.store.annotations(home.dataset_id, "a3")) == 0


def test_pre_tagged_answers_begin_with_the_judges_tags(home):
    at = opened(annotator="ann", answer="a1", mode="tagged")
    assert at.button(key="lj_tag_correct").proto.type == "primary"
    assert "they pull you towards the judge" in said(at)
    click(at, "lj_finish")
    assert tags(home, "a1") == [Tag.CORRECT, Tag.CORRECT, Tag.MISSING]


def test_search_finds_words_over_lines_and_a_sentence_around_them():
    text = "One.\nThe  Tenant\nshall pay. (a) Rent; (b) Costs.\n"
    assert [text[a:b] for a, b in hits(text, "the tenant SHALL")] == ["The  Tenant\nshall"]
    assert hits(text, "  ") == []
    assert text[slice(*sentence(text, 30, 31))] == "shall pay. (a) Rent; (b) Costs."
    long = "A " * 300 + "end. The rent is due. More " + "b " * 300
    at = long.index("rent")
    assert long[slice(*sentence(long, at, at + 4))] == "The rent is due."


def test_selected_words_are_found_where_they_stand_or_not_at_all():
    text = "due due 😀 due"
    assert place(Selection("answer", 4, "due "), text) == (4, 7)
    assert place(Selection("answer", 10, "due"), text) == (10, 13)
    assert place(Selection("answer", 9, "due"), text) == (10, 13)
    assert place(Selection("answer", 0, "gone"), text) is None
    assert place(Selection("answer", 2, "due"), text, shift=8) == (10, 13)


def test_each_press_of_a_key_counts_once_and_what_is_none_counts_never():
    presses = [{"at": 1, "key": "c"}, {"at": 2, "key": "i"}, {"at": 3, "key": "x"}, {"key": "c"}, "c"]
    assert fresh(presses, 0) == presses[:2]
    assert fresh(presses, 1) == presses[1:2]
    assert fresh(None, 0) == fresh("c", 0) == []
