"""Readability: who can read these answers, and which sentences make them hard."""

import streamlit as st

from components import cached
from components.figures import readability as figures
from components.filters import filter_row
from components.readability import choose, sentences_of, undefined_table, with_counts
from components.shell import copy_link, frame
from components.tables import downloads
from components.words import interval, left_out, number
from lemaj_core.analysis import summary
from lemaj_core.metrics.table import METRICS

PUBLISHED = {"fre": "12.84 and 10.98", "fkgl": "17.80 and 18.22"}
ONE_KEY = "readability_answer"

view = frame("Readability", "Who can read these answers, and which sentences make them hard?", group="readability")
version = cached.version(view.run_id)
answers = filter_row(cached.answers(view.run_id, view.judge, version))
copy_link(into=view.header)
if answers.empty:
    st.info(
        "Take a filter off to see answers again.", title="No answer passes the filters", icon=":material/filter_alt:"
    )
    st.stop()
answers = with_counts(answers, view.run_id, view.judge, version)

with st.grid(3, min_column_width=150, border=True, key="figures"):
    for key in ("fre", "fkgl"):
        metric, found = METRICS[key], summary.metric_mean(answers, key)
        with st.container(gap=None):
            st.metric(
                metric.label,
                None if found.mean is None else number(found.mean, 1),
                help=f"{metric.formula}. {metric.caveat}",
            )
            st.caption(" · ".join(filter(None, [interval(found, 1).partition(" ")[2], left_out(found)])))
            st.caption(f"{metric.direction}; SCORE's two systems: {PUBLISHED[key]}")
    with st.container(gap=None):
        length = answers.loc[answers["sentences"] > 0, "words"].sum() / max(1, answers["sentences"].sum())
        st.metric("Words per sentence", number(length, 1))
        st.caption(f"{int(answers['words'].sum()):,} words in {int(answers['sentences'].sum()):,} sentences")
        st.caption("counted from the text, whoever judged")

for key in ("fre", "fkgl"):
    st.plotly_chart(
        figures.spread(answers, key),
        key=f"spread_{key}",
        config={"displayModeBar": False},
        alt=f"Distribution of {METRICS[key].label} per model with bands, mean and 95 percent interval",
    )

with st.grid(2, min_column_width=400, key="details") as grid:
    with grid.cell(), st.container(border=True, key="longest"):
        st.subheader("Longest sentences", anchor=False)
        row = choose(answers, ONE_KEY)
        if row is not None and view.run is not None:
            sentences_of(view.run_id, view.judge, view.run.dataset_id, row)
    with grid.cell(), st.container(key="beside"):
        if "correctness" in answers.columns:
            st.plotly_chart(
                figures.against_correctness(answers),
                key="against",
                config={"displayModeBar": False},
                alt="Grade level against Correctness, one dot per answer",
            )
        left = undefined_table(answers)
        if left.empty:
            st.caption("Every text could be scored.")
        else:
            st.caption(f"{len(left):,} texts have no score")
            st.dataframe(left, hide_index=True, height=220, alt="Texts without a readability score and why")
downloads(answers, f"readability-{view.run_id}")
