"""Prompts: what a judge is asked with, which words a score came from, and which wording agrees best with experts."""

import streamlit as st

from components import cached
from components.prompts import against, asked, difference, editor, places_of, versions
from components.shell import copy_link, frame
from components.words import plain

VERSION_KEY, ONE_KEY, OTHER_KEY = "prompt", "first", "second"

view = frame("Prompts", "What is a judge asked, and which wording agrees best with the experts?", needs_run=False)
copy_link(VERSION_KEY, into=view.header)
known = {one.version: one for one in versions()}
chosen = st.selectbox(
    "Version",
    list(known),
    format_func=lambda version: known[version].label,
    key=VERSION_KEY,
    bind="query-params",
    width=520,
    help="Twelve digits of a hash over every word. A run records the version that its scores came from.",
)
words = known[chosen].words
places = asked(cached.runs())
st.caption(places_of(chosen, places))
read, edit = st.tabs(["Read", "Edit a copy"])
with read:
    st.code(words["data_points"], language=None, wrap_lines=True, height=420)
    with st.expander("The pieces that go into the slots", key="pieces"):
        for name, text in sorted(words.items()):
            if name != "data_points":
                st.caption(plain(name))
                st.code(text, language=None, wrap_lines=True)
with edit:
    editor(chosen, words)

st.subheader("Two versions against the experts", anchor=False)
if len(places) < 2:
    st.info(
        "Judge the same data with two versions, in one run (two judges) or in two. Their scores are then compared with "
        "those of the experts here.",
        title="Fewer than two judgings with a prompt are stored",
        icon=":material/inbox:",
    )
    st.stop()
names = {one.label: one for one in places}
with st.grid(2, min_column_width=400, key="two"):
    first = st.selectbox("First", list(names), key=ONE_KEY)
    rest = [
        label for label, one in names.items() if label != first and one.run.dataset_id == names[first].run.dataset_id
    ]
    second = st.selectbox("Second, of the same data", rest, key=OTHER_KEY)
if second is None:
    st.info("No other judging of the same data is stored.", icon=":material/inbox:")
    st.stop()
one, other = names[first], names[second]
table, both = against(one, other)
st.caption(f"{both:,} answers were judged by both; n counts those of them that have an expert's score and both scores.")
st.table(
    {name: [plain(value) for value in table[name]] for name in table.columns},
    border="horizontal",
    hide_index=True,
    alt="Agreement of two versions of a prompt with experts' scores",
)
if one.version != other.version and one.version in known and other.version in known:
    changed = difference(known[one.version].words["data_points"], known[other.version].words["data_points"])
    st.caption("What differs in the main text" if changed else "The main texts are equal; a piece in a slot differs.")
    if changed:
        st.code(changed, language="diff", wrap_lines=True)
