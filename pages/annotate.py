"""Annotate: a legal expert tags the Legal Data Points of one answer after another."""

from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from components import annotate, annotate_contract, annotate_points, cached, cards
from components.annotate import EXPLAINED, MODES
from components.clicks import watch_marks
from components.markup import stylesheet
from components.selection import Selection, watch_selection
from components.shell import copy_link, frame
from components.tag_keys import watch_keys
from components.words import percent, plain, short
from lemaj_core.analysis import labelling

view = frame("Annotate", "What does an expert say of this answer?", group="data_points")
st.html(stylesheet())
who = annotate.annotator()
run, store = view.run, cached.store()
answers = cached.answers(view.run_id, view.judge, cached.version(view.run_id))
ids = answers["item_id"].tolist()
done = store.labelled(run.dataset_id, who)
here = annotate.pick(answers, done)
finished = sum(done.values())

with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lj_toolbar"):
    mode = annotate.mode()
    shown = annotate.titles(answers, done)
    st.session_state["lj_annotate_answer"] = here
    st.selectbox(
        "Answer",
        ids,
        format_func=shown.get,
        key="lj_annotate_answer",
        label_visibility="collapsed",
        on_change=lambda: annotate.go(st.session_state["lj_annotate_answer"]),
        width=360,
    )
    following = annotate.after(ids, here, done)
    st.button(
        "Next unfinished",
        key="lj_next",
        icon=":material/arrow_forward:",
        shortcut="N",
        disabled=following is None,
        on_click=annotate.go,
        args=(following,),
    )
    st.caption(f"**{finished:,} of {len(ids):,}** finished by {plain(who)}", width="content")
    st.button("Change annotator", key="lj_leave", type="tertiary", on_click=annotate.leave)

desk = annotate.lay(run, view.judge, who, here, mode)
label = desk.label
number = annotate_points.chosen(desk)


def finish() -> None:
    """Finish the answer and go to the next one."""
    if annotate.save(desk, lambda now: replace(now, finished=datetime.now(UTC))) and following:
        annotate.go(following)


def commit() -> None:
    """Keep the tags as they are before the judge's are shown."""
    annotate.save(desk, lambda now: now if now.committed is not None else replace(now, committed=now.points))


def reopen() -> None:
    """Take the answer back from what counts, to change it."""
    annotate.save(desk, lambda now: replace(now, finished=None))


def clicked(number_: int) -> None:
    """Choose what was clicked: a data point, or a place found by search."""
    if number_ >= annotate_contract.FIRST_HIT:
        st.session_state[annotate_contract.HIT] = number_ - annotate_contract.FIRST_HIT
    else:
        annotate_points.choose(desk, number_)


def selected(found: Selection) -> None:
    """Keep selected words until they are used."""
    st.session_state[annotate_contract.WORDS] = found


st.html(cards.question(desk.item.question, [desk.document.name] if desk.document else []))
explained = "" if label.mode == mode else f"This answer was begun in the mode “{MODES[label.mode]}”. "
st.caption(f"{explained}{EXPLAINED[label.mode]}")
annotate.told(desk)
with st.container(key="lj_reading"), st.grid(2, min_column_width=330, gap="medium"):
    with st.container(gap="small"):
        annotate_points.answer(desk, number)
        words = st.session_state.get(annotate_contract.WORDS)
        if isinstance(words, Selection) and words.where == "answer" and desk.open:
            st.button(
                f"Make a data point of “{plain(short(words.quote, 60))}”",
                key="lj_add_words",
                icon=":material/add:",
                shortcut="A",
                on_click=annotate_points.add_selected,
                args=(desk, words),
            )
        annotate_points.control(desk, number)
        annotate_points.listed(desk, number)
        annotate_points.scales(desk)
        waiting = labelling.untagged(label.points)
        said = bool(label.points) or None not in (label.correctness, label.relevance)
        ready = said and not waiting
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lj_finish_row"):
            if not desk.open:
                st.button("Open again", key="lj_reopen", icon=":material/lock_open:", on_click=reopen)
            elif label.mode == "second" and label.committed is None:
                st.button("Commit and see the judge's tags", key="lj_commit", type="primary", disabled=not ready,
                          on_click=commit)  # fmt: skip
            else:
                st.button("Finish", key="lj_finish", type="primary", shortcut="F", icon=":material/check:",
                          disabled=not ready, on_click=finish, help="Only finished answers count.")  # fmt: skip
            if desk.open and not ready:
                st.caption(f"{waiting} data points wait for a tag." if waiting else "Tag a point or give both scales.")
    with st.container(gap="small"), st.container(key="lj_beside", gap="small"):
        annotate_contract.draw(desk, number)

if label.mode == "second" and label.committed is not None:
    moved = labelling.anchoring(
        store.labels(run.dataset_id, who),
        lambda one: found.points if (found := store.judgement(one.run_id, one.item_id, one.judge)) else (),
    )
    share = percent(moved.changed / moved.compared) if moved.compared else "—"
    st.caption(
        f"Second reading so far: {moved.answers:,} finished answers, {moved.compared:,} points; {moved.changed:,} tags "
        f"({share}) changed after the judge's were shown, {moved.towards:,} of them to the judge's tag."
    )
with st.expander("Keys", icon=":material/keyboard:"):
    st.markdown(
        "**c** correct · **i** incorrect · **r** irrelevant · **m** missing · **↑ ↓** previous and next point · "
        "**j** join with the next · **a** data point from selected words · **e** link the passage · **f** finish · "
        "**n** next unfinished answer"
    )

watch_keys(lambda tag: annotate_points.tag_chosen(desk, tag))
watch_marks(clicked)
watch_selection(selected)
copy_link(into=view.header)
