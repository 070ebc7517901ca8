"""Jury: where the judges disagree, who stands alone, and what is left for a person to decide."""

import streamlit as st

from components import cached
from components.figures import jury as figures
from components.filters import filter_row
from components.jury import KINDS, disagreements, explorer, sitting
from components.shell import copy_link, frame
from components.tables import downloads, reading_list
from components.words import number, percent, plain
from lemaj_core.analysis import jury
from lemaj_core.metrics.table import METRICS

RULE_KEY, KIND_KEY, WHO_KEY = "rule", "kind", "who"

view = frame("Jury", "Where do the judges disagree, and what is left for a person to decide?", group="data_points")
if view.run is None or len(view.run.settings.judges) < 2:
    st.info(
        "Choose a second judge on the Evaluate page: another model, the offline judge, another prompt, or the same "
        "model again by writing #2 behind its name (openai/gpt-4o#2). On the command line: python -m lemaj_core run "
        "FILE --judge openai/gpt-4o --judge openai/gpt-4o#2",
        title="This run has one judge, and a jury needs two",
        icon=":material/groups:",
    )
    st.stop()
version = cached.version(view.run_id)
answers = filter_row(cached.answers(view.run_id, view.judge, version))
jurors = list(view.run.settings.judges)
rule = st.segmented_control(
    "A data point gets a tag by",
    list(jury.RULES),
    default="majority",
    required=True,
    key=RULE_KEY,
    bind="query-params",
    help="Majority: more than half of the votes. Unanimous: all of them. Weighted: more than half of the weight. "
    "Otherwise it is undecided and waits for a person.",
)
copy_link(RULE_KEY, KIND_KEY, WHO_KEY, into=view.header)
weights = {}
if rule == "weighted":
    with st.grid(4, min_column_width=165, key="weights"):
        for name in jurors:
            weights[name] = st.number_input(
                f"Weight of {plain(name)}", 0.0, 100.0, 1.0, 0.5, key=f"weight_{name}", persist_state="session"
            )
everything, table = sitting(view.run_id, jurors, rule, weights, version)
kept = set(answers["item_id"])
heard = [one for one in everything if one.item_id in kept]
laid = table[table["item_id"].isin(kept)]
if laid.empty:
    st.info(
        "A data point can be compared once two judges have judged its answer.",
        title="No answer here was judged by two judges yet",
        icon=":material/hourglass_top:",
    )
    st.stop()

undecided = laid["tag"].eq(jury.UNDECIDED)
waiting = jury.queue(laid)
agreed = laid["agreement"].dropna()
with st.grid(4, min_column_width=165, border=True, key="figures"):
    with st.container(gap=None):
        st.metric(
            "Agreement", percent(agreed.mean()), help="Mean over data points of the share of equal pairs of votes."
        )
        st.caption(f"n = {len(agreed):,} data points with two votes or more")
    with st.container(gap=None):
        st.metric("Of one mind", percent(float(agreed.eq(1).mean())) if len(agreed) else None)
        st.caption(f"{int(agreed.eq(1).sum()):,} data points on which all agree")
    with st.container(gap=None):
        st.metric("Undecided", f"{int(undecided.sum()):,}")
        st.caption(f"{percent(float(undecided.mean()))} of {len(laid):,} data points, in {len(waiting):,} answers")
    with st.container(gap=None):
        scores = {}
        for one in heard:
            scores.setdefault(one.item_id, []).append(one)
        verdicts = [jury.verdict(points, view.run.settings.beta) for points in scores.values()]
        for key in ("correctness", "relevance"):
            values = [value for verdict in verdicts if (value := getattr(verdict, key).value) is not None]
            mean = sum(values) / len(values) if values else None
            st.metric(f"{METRICS[key].label}, by the jury", None if mean is None else number(mean))
            st.caption(f"n = {len(values):,} of {len(verdicts):,} answers; the others wait or are undefined")

kin = cached.store().noted(view.run_id, "judge and answer model are of one family")
for name, count in kin.items():
    st.warning(
        f"{plain(name)} judged {count:,} answers of a model of its own family. Such judges tend to favour their own: "
        "give them less weight, or add a juror of another house.",
        icon=":material/family_restroom:",
    )

with st.grid(2, min_column_width=400, key="charts"):
    st.plotly_chart(
        figures.pairs(jury.pairwise(laid, jurors)),
        key="pairs",
        config={"displayModeBar": False},
        alt="Share of data points on which each two jurors vote the same",
    )
    st.plotly_chart(
        figures.lonely(jury.alone_counts(laid, jurors)),
        key="lonely",
        config={"displayModeBar": False},
        alt="Share of its votes on which each juror was alone against all the others",
    )
st.plotly_chart(
    figures.votes(laid, jurors),
    key="votes",
    config={"displayModeBar": False},
    alt="How often each juror gives each tag, and what carried",
)
for again in jury.repeats(heard, jurors):
    st.markdown(
        f"**{plain(again.juror)}** was asked {again.repeats} times: flip rate {percent(again.flips)} per data point, "
        f"{again.flipped:,} of {again.points:,} data points got another vote at least once."
    )

st.subheader("What they disagree on", anchor=False)
kind = st.segmented_control(
    "Show",
    list(KINDS),
    format_func=KINDS.get,
    default="all",
    required=True,
    key=KIND_KEY,
    bind="query-params",
    label_visibility="collapsed",
)
who = None
if kind == "alone":
    who = st.selectbox("Who", jurors, index=None, placeholder="any juror", key=WHO_KEY, bind="query-params", width=360)
found = disagreements(heard, kind, who)
st.caption(f"{len(found):,} data points in {len({one.item_id for one in found}):,} answers")
explorer(found, dict(zip(answers["item_id"], answers["question"], strict=True)))

if waiting:
    st.subheader("For a person", anchor=False)
    st.caption(f"{len(waiting):,} answers have a data point that the jury leaves undecided.")
    reading_list(answers[answers["item_id"].isin(waiting)].head(10), key="jury_queue")
downloads(laid, f"jury-{view.run_id}")
