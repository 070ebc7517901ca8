"""Evaluate: which answers, by which judge, at what price, and how far is it.

Three steps from top to bottom, then the runs. A run is the work of another process: it goes on when this page is left.
"""

import streamlit as st

from components import cached
from components.data_step import data_step
from components.judges_step import judges_step
from components.mapping_step import mapping_step
from components.progress import runs_section
from components.shell import frame
from components.start_step import may_be_sent, price, run_name, start_button

frame("Evaluate", "Bring answers and their documents, choose who judges, see the price, start, watch.", needs_run=False)
runs = cached.runs()

st.subheader("1 · Data", anchor=False)
source = data_step()

st.subheader("2 · Columns", anchor=False)
data = mapping_step(source)

st.subheader("3 · Judges, metrics and price", anchor=False)
if data is None:
    st.caption("Judges, metrics and the price are chosen when the data is ready.")
else:
    settings = judges_step(data, runs)
    allowed = may_be_sent(data, settings)
    name = run_name(data)
    estimate = price(data, settings)
    if start_button(data, settings, name, allowed=allowed, priced=estimate is not None):
        st.rerun()

st.subheader("Runs", anchor=False)
runs_section(runs)
