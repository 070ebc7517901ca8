"""Answers: what a judge says of one answer, and which words of the contract say so."""

import streamlit as st

from components import answer_list, answer_panel, cached, contract_panel, playground, side_panels
from components.clicks import watch_marks
from components.filters import CORRECTNESS_KEY, RELEVANCE_KEY, filter_row, thresholds
from components.markup import stylesheet
from components.reading import open_answer
from components.shell import copy_link, frame
from components.words import plain

view = frame(
    "Answers", "What does the judge say of this answer, and which words of the contract say so?", group="data_points"
)
st.html(stylesheet())
version = cached.version(view.run_id)
beta = view.run.settings.beta
correctness, relevance = limits = thresholds()
everything = cached.answers(view.run_id, view.judge, version)
decisions = cached.decisions(view.run_id, view.judge, version, correctness=correctness, relevance=relevance, beta=beta)
shown = filter_row(everything)

with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lj_toolbar"):
    sort = st.selectbox(
        "Sort", answer_list.SORTS, key="sort", bind="query-params", label_visibility="collapsed", width=225
    )
    listed = answer_list.ordered(shown, decisions, sort)
    here = answer_list.place(listed, everything)
    answer_list.toolbar(here)
    with_list = st.toggle(
        "List", value=True, key="list", bind="query-params", help="Hide the list to read with more room."
    )

with st.container(key="lj_layout"):
    left, right = st.columns([1, 3.2], gap="medium") if with_list else (None, st.container())
    if left is not None:
        with left, st.container(key="lj_list", gap="xsmall"):
            answer_list.draw(listed, here)
    with right:
        if here.item_id is None:
            st.info("Take a filter off to see answers again.", icon=":material/filter_alt:")
        elif not here.known:
            st.warning(
                f"There is no answer {plain(here.item_id)} in this run. Choose one from the list.",
                title="No such answer",
                icon=":material/search_off:",
            )
        else:
            opened = open_answer(view.run, view.judge, here.item_id)
            reading = opened.reading
            where = (view.run_id, view.judge, here.item_id)
            flips = playground.flips(where)
            chosen = answer_panel.chosen_point(reading.points) if reading else 0
            answer_panel.head(opened)
            if reading is not None:
                answer_panel.cautions(reading)
            if reading is None:
                st.info("This answer waits for its judge.", icon=":material/hourglass_top:")
            elif not reading.judged:
                answer_panel.failed(reading)
                side_panels.raw_replies(view.run, here.item_id, view.judge)
            else:
                answer_panel.score_strip(reading, where, flips, beta=beta, thresholds=limits)
            with st.container(key="lj_reading"), st.grid(2, min_column_width=330, gap="medium"):
                with st.container(gap="small"):
                    answer_panel.answer_text(opened.item, reading, flips, chosen)
                    if reading and reading.judged:
                        answer_panel.open_point(opened, reading, where, flips, chosen)
                        answer_panel.point_list(opened, reading, flips, chosen)
                with st.container(gap="small"), st.container(key="lj_beside", gap="small"):
                    contract_panel.draw(opened.document, reading.points if reading else (), flips, chosen)
            side_panels.draw(view.run, opened, view.judge)

watch_marks(answer_panel.choose_point)
copy_link("sort", "list", side_panels.KEY, CORRECTNESS_KEY, RELEVANCE_KEY, into=view.header)
