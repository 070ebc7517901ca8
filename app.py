"""Overview: how good are the answers of this run? Also the file that Streamlit starts."""

import pandas as pd
import streamlit as st

from components import cached
from components.figures import overview as figures
from components.figures import plane
from components.filters import CORRECTNESS_KEY, RELEVANCE_KEY, filter_row, metrics_of, thresholds
from components.palette import colours
from components.run_card import run_card
from components.shell import copy_link, frame, open_page
from components.tables import downloads, mean_table, reading_list
from components.words import interval, left_out, number, percent
from lemaj_core.analysis import summary, triage

view = frame(
    "Overview", "How good are the answers of this run, and what share could go out unread?", group="data_points"
)
version = cached.version(view.run_id)
everything = cached.answers(view.run_id, view.judge, version)
answers = filter_row(everything)
copy_link(CORRECTNESS_KEY, RELEVANCE_KEY, into=view.header)
if answers.empty:
    st.info(
        "Take a filter off to see answers again.", title="No answer passes the filters", icon=":material/filter_alt:"
    )
    st.stop()

states = summary.answer_states(answers)
correctness, relevance = thresholds()
cleared = triage.cleared(answers, correctness, relevance)
share = summary.mean(cleared.astype(float), ["scored"] * len(answers))

with st.grid(4, min_column_width=165, border=True, key="figures"):
    with st.container(gap=None):
        st.metric("Answers", f"{states['total']:,}")
        said = [f"{states['scored']:,} scored", f"{states['undefined']:,} undefined", f"{states['failed']:,} failed"]
        st.caption(" · ".join(said + ([f"{states['waiting']:,} waiting"] if states["waiting"] else [])))
    for key in ("correctness", "relevance"):
        metric = next((metric for metric in metrics_of(answers) if metric.key == key), None)
        if metric is None:
            continue
        found = summary.metric_mean(answers, key)
        with st.container(gap=None):
            st.metric(
                metric.label,
                None if found.mean is None else number(found.mean),
                help=f"Mean over scored answers. {metric.formula}. {metric.caveat}",
            )
            st.caption(" · ".join(filter(None, [interval(found).partition(" ")[2], left_out(found)])))
    with st.container(gap=None):
        st.metric(
            "Could be cleared",
            percent(share.mean),
            help="Answers that reach both thresholds of the Triage page. Undefined and failed answers never do.",
        )
        st.caption(
            f"[{percent(share.low)}, {percent(share.high)}], {int(cleared.sum()):,} of {len(answers):,} at "
            f"Correctness ≥ {correctness}, Relevance ≥ {relevance}"
            if share.low is not None
            else f"{int(cleared.sum()):,} of {len(answers):,}"
        )

shown = colours(everything["model"].dropna().astype(str).unique())
tags = summary.tags_by(answers, "model")
by_model = summary.by(answers, "model")
with st.grid(2, min_column_width=400, key="models"):
    st.plotly_chart(
        figures.tag_shares(tags, by="model"),
        key="tags",
        config={"displayModeBar": False},
        alt="Share of correct, incorrect, irrelevant and missing data points per model",
    )
    st.plotly_chart(
        figures.means(by_model, by="model"),
        key="by_model",
        config={"displayModeBar": False},
        alt="Mean Correctness and Relevance per model with 95 percent intervals",
    )

blind = plane.blind_spots(answers)
both = int((answers["correctness_status"].eq("scored") & answers["relevance_status"].eq("scored")).sum())
kind = "document type" if everything["document_type"].notna().any() else "document"
by_type = summary.by(answers, kind.replace(" ", "_"))
with st.grid(2, min_column_width=400, key="answers_grid"):
    with st.container(key="plane_cell"):
        chosen = st.plotly_chart(
            plane.score_plane(answers, shown, thresholds=(float(correctness), float(relevance))),
            key="plane",
            on_select="rerun",
            selection_mode="points",
            config={"displayModeBar": False},
            alt=f"Correctness against Relevance; {int(blind.sum())} answers have one high and one low score",
        )
        how = (
            "Click a ring to read the answer."
            if both > plane.DENSE
            else "Answers with equal scores are moved apart a little. Click one to read it."
        )
        st.caption(
            f"n = {both:,} answers with both scores. {how} "
            f"Ringed: {int(blind.sum()):,} with a blind spot, one score ≥ {plane.BLIND_HIGH:.2f} and the other < "
            f"{plane.BLIND_LOW:.2f}: Correctness does not see what is missing, Relevance not what is wrong."
        )
    st.plotly_chart(
        figures.means(by_type, by=kind),
        key="by_type",
        config={"displayModeBar": False},
        alt=f"Mean Correctness and Relevance per {kind} with 95 percent intervals",
    )
points = chosen["selection"]["points"]
if points:
    picked = points[0].get("customdata")
    if isinstance(picked, (list, tuple)) and picked:
        open_page("pages/answers.py", answer=str(picked[0]))

false = answers[answers["status"].eq("scored") & answers["incorrect"].gt(0)]
if not false.empty:
    st.subheader("Worth reading first", anchor=False)
    st.caption(f"The lowest Correctness among {len(false):,} answers that say something false.")
    reading_list(false.sort_values(["correctness", "relevance"], kind="stable").head(5), key="worst")
run_card(view, version)
numbers = st.expander("The numbers behind the pictures", icon=":material/table:", key="numbers", on_change="rerun")
if numbers.open:
    table = pd.concat([by_model.assign(by="model"), by_type.assign(by=kind)], ignore_index=True)
    with numbers:
        st.dataframe(mean_table(table), hide_index=True, alt="Means, intervals, counts by model and type", key="means")
        downloads(table, f"means-{view.run_id}")
