"""Triage: which answers need no lawyer, what that saves, and what it lets through."""

import streamlit as st

from components import cached
from components.figures import triage as figures
from components.filters import CORRECTNESS_KEY, RELEVANCE_KEY, filter_row, thresholds
from components.shell import copy_link, frame
from components.tables import downloads, show
from components.words import duration, money, percent, plain
from lemaj_core.analysis import triage

MINUTES_KEY, RATE_KEY, DEFECT_KEY = "minutes", "rate", "defect"
DEFECTS = ("Correctness below 1", "Correctness below 1, or Relevance below its threshold")
COLUMNS = ("question", "model", "correctness", "relevance", "points", "flips", "status", "document")

view = frame(
    "Triage", "Which answers may go out unread, what does that save, and what does it let through?", group="data_points"
)
answers = filter_row(cached.answers(view.run_id, view.judge, cached.version(view.run_id)))
labelled = bool(answers["human_correctness"].notna().any())
with st.grid(4, min_column_width=165, key="settings", vertical_alignment="bottom"):
    st.slider(
        "Correctness at least", 0.0, 1.0, float(triage.CORRECTNESS), 0.01, key=CORRECTNESS_KEY, bind="query-params"
    )
    st.slider("Relevance at least", 0.0, 1.0, float(triage.RELEVANCE), 0.01, key=RELEVANCE_KEY, bind="query-params")
    minutes = st.number_input(
        "Minutes per review",
        min_value=0.5,
        max_value=600.0,
        value=triage.MINUTES,
        step=0.5,
        format="%.1f",
        key=MINUTES_KEY,
        bind="query-params",
        help="Used for answers whose file has no column of minutes.",
    )
    rate = st.number_input(
        "Rate per hour, $", 0, 5_000, 0, 10, key=RATE_KEY, bind="query-params", help="0: hours only, no money."
    )
correctness, relevance = thresholds()
defect = DEFECTS[0]
if labelled:
    defect = st.segmented_control(
        "An answer is defective if the expert's",
        DEFECTS,
        default=DEFECTS[0],
        required=True,
        key=DEFECT_KEY,
        bind="query-params",
    )
copy_link(CORRECTNESS_KEY, RELEVANCE_KEY, MINUTES_KEY, RATE_KEY, DEFECT_KEY, into=view.header)
if answers.empty:
    st.info(
        "Take a filter off to see answers again.", title="No answer passes the filters", icon=":material/filter_alt:"
    )
    st.stop()
floor = float(relevance) if defect == DEFECTS[1] else None
found = triage.decide(answers, correctness, relevance, minutes=minutes, relevance_floor=floor)

with st.grid(3, min_column_width=150, border=True, key="figures"):
    with st.container(gap=None):
        st.metric("Review time saved", percent(found.time_saved))
        earned = f" = ${found.minutes_saved / 60 * rate:,.0f}" if rate else ""
        st.caption(f"{duration(found.minutes_saved)} of {duration(found.minutes_total)}{plain(earned)}")
    with st.container(gap=None):
        st.metric("Answers cleared", f"{found.cleared:,} of {found.total:,}")
        st.caption(f"{percent(found.cleared / found.total)}; {found.total - found.cleared:,} are left to read")
    with st.container(gap=None):
        if found.bound is None:
            st.metric("Defects, at most", None)
            st.caption("unknown: no cleared answer has an expert's score")
        else:
            st.metric("Defects, at most", percent(found.bound), help="Share of defective answers among those cleared.")
            st.caption(
                f"{found.defects_among_cleared:,} seen among {found.labelled_cleared:,} cleared and scored by experts; "
                "one-sided 95 % bound (Clopper-Pearson)"
            )

with st.container(border=True, key="sentence"):
    st.caption("The sentence to take to a partner")
    st.markdown(plain(found.sentence))
    if found.bound is not None:
        wrong, _ = triage.defects(answers, floor)
        st.caption(
            f"Experts found {int(wrong.sum()):,} defective answers in all; {found.defects_among_cleared:,} of them "
            f"would go out, {int(wrong.sum()) - found.defects_among_cleared:,} are caught by the review."
        )

by_relevance = triage.curve(answers, "relevance", other=correctness, minutes=minutes, relevance_floor=floor)
by_correctness = triage.curve(answers, "correctness", other=relevance, minutes=minutes, relevance_floor=floor)
chosen = {"correctness": float(correctness), "relevance": float(relevance)}
with st.grid(2, min_column_width=400, key="curves"):
    st.plotly_chart(
        figures.time_saved(by_relevance, by_correctness, **chosen),
        key="time_saved",
        config={"displayModeBar": False},
        alt=f"Review time saved at every threshold; {percent(found.time_saved)} at the chosen pair",
    )
    st.plotly_chart(
        figures.both_thresholds(triage.grid(answers, minutes=minutes), **chosen),
        key="both",
        config={"displayModeBar": False},
        alt="Review time saved for every pair of Correctness and Relevance thresholds",
    )
if labelled:
    st.plotly_chart(
        figures.risk(by_relevance, relevance=float(relevance)),
        key="risk",
        config={"displayModeBar": False},
        alt="Share of defects among cleared answers and its upper bound for every Relevance threshold",
    )
progress = cached.progress(view.run_id)
st.caption(
    f"n = {found.total:,} answers. Undefined and failed answers are never cleared. Judging cost "
    f"{plain(money(progress.cost, progress.unpriced))}. LeMAJ reports up to 50 % of review time saved on the authors' "
    "own contracts (Relevance ≥ 0.80) and up to 30 % on LegalBench (≥ 0.85)."
)

st.subheader("Review queue", anchor=False)
beta = view.run.settings.beta if view.run else 1.0
queue = triage.queue(answers, correctness, relevance, beta=beta)
if queue.empty:
    st.success("Every answer reaches both thresholds: nothing is left to read.", icon=":material/done_all:")
else:
    st.caption(
        f"{len(queue):,} answers to read: those that could not be judged first, then by how many tags would have to "
        "change for the answer to be cleared."
    )
    show(queue, COLUMNS, key="queue", alt="Answers to be read by a lawyer, those farthest from being cleared first")
    downloads(queue, f"review-queue-{view.run_id}")
