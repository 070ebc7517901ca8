"""Agreement: how far the judge agrees with experts, where it errs, and how far experts agree among themselves."""

import pandas as pd
import streamlit as st

from components import cached
from components.agreement import UPLOADED, behind, cases, in_a_table, labels, points_by_answer, scored_by
from components.figures import agreement as figures
from components.filters import filter_row
from components.shell import copy_link, frame
from components.tables import downloads
from components.words import number, percent, plain
from lemaj_core.analysis import tag_agreement
from lemaj_core.analysis.agreement import SCORES, against_experts, baselines_against, differences

EXPERT_KEY, KIND_KEY = "expert", "error"

view = frame("Agreement", "How far can these scores be trusted, and where does the judge err?", group="data_points")
version = cached.version(view.run_id)
answers = filter_row(cached.answers(view.run_id, view.judge, version))
copy_link(EXPERT_KEY, into=view.header)
found = labels(view.run.dataset_id, version) if view.run else []
names = tag_agreement.annotators(found)
if not answers[["human_correctness", "human_relevance"]].notna().any(axis=None):
    st.info(
        "Label answers on the Annotate page, or add columns human_correctness and human_relevance (0 to 1) or labels "
        "of experts to your file: the sample and ExpertQA's file have them. Then this page shows the comparison.",
        title="No answer here has an expert's score",
        icon=":material/person_off:",
    )
    st.stop()
beta = view.run.settings.beta if view.run else 1.0
expert = UPLOADED
if names:
    expert = st.selectbox("Expert", [UPLOADED, *names], key=EXPERT_KEY, bind="query-params", width=360)
if expert != UPLOADED:
    answers = scored_by(answers, found, expert, beta)

rows = [against_experts(answers, score) for score in SCORES]
baselines = {score: baselines_against(answers, score) for score in SCORES}
with st.grid(4, min_column_width=165, border=True, key="figures"):
    for row, label in zip(rows, ("Correctness", "Relevance"), strict=True):
        with st.container(gap=None):
            st.metric(f"{label}: Pearson r", None if row.pearson.value is None else number(row.pearson.value))
            if row.pearson.value is None:
                st.caption(plain(row.pearson.reason))
            else:
                between = (
                    "" if row.pearson.low is None else f"[{number(row.pearson.low)}, {number(row.pearson.high)}], "
                )
                st.caption(f"{between}p = {row.pearson.p:.2g}, n = {row.n:,}, {row.clusters:,} documents")
        with st.container(gap=None):
            st.metric(
                f"{label}: same bucket",
                None if row.accuracy.value is None else percent(row.accuracy.value),
                help="Both scores rounded down to 0, .25, .5, .75, 1; the share of answers in the expert's bucket.",
            )
            st.caption(f"always the commonest bucket: {percent(row.commonest.value)}")
for row in rows:
    with st.grid(2, min_column_width=400, key=f"against_{row.score}"):
        st.plotly_chart(
            figures.correlations(row, baselines[row.score]),
            key=f"correlation_{row.score}",
            config={"displayModeBar": False},
            alt=f"Correlation of the judge's {row.score} with the expert's, with intervals, beside published figures",
        )
        st.plotly_chart(
            figures.accuracies(row),
            key=f"accuracy_{row.score}",
            config={"displayModeBar": False},
            alt=f"Bucketed accuracy of {row.score} with its interval, beside published figures",
        )

mine = [label for label in found if label.annotator == (names[0] if expert == UPLOADED and names else expert)]
shown = set(answers["item_id"])
compared = tag_agreement.compare_points(
    points_by_answer(view.run_id, view.judge, version), [label for label in mine if label.item_id in shown]
)
questions = dict(zip(answers["item_id"], answers["question"], strict=True))
if compared.empty:
    st.caption("No label set has data points, so tags cannot be compared.")
else:
    st.subheader("Data points", anchor=False)
    total = tag_agreement.counts(compared)
    st.markdown(
        f"LeMAJ Alignment **{percent(total.alignment.value)}**: {total.same_tag:,} pairs with the same tag of "
        f"{total.judge_points:,} points of the judge. Over matched points "
        f"only {percent(total.matched_alignment.value)}."
    )
    st.caption(
        f"{total.answers:,} answers; {total.judge_points:,} points of the judge, {total.expert_points:,} of the "
        f"expert, {total.pairs:,} matched. Cut otherwise: {total.splits:,} split finer by the judge, {total.merges:,} "
        f"merged by it, {total.only_judge:,} only the judge's, {total.only_expert:,} only the expert's."
    )
    with st.grid(2, min_column_width=400, key="points") as grid:
        with grid.cell():
            chosen = st.plotly_chart(
                figures.confusion(tag_agreement.confusion(compared)),
                key="confusion",
                on_select="rerun",
                selection_mode="points",
                config={"displayModeBar": False},
                alt="Data points by the expert's tag and the judge's tag",
            )
            st.caption("Click a number to read the points behind it.")
        with grid.cell():
            wrong = tag_agreement.errors(compared)
            st.plotly_chart(
                figures.kinds(wrong),
                key="kinds",
                config={"displayModeBar": False},
                alt="Kinds of disagreement between judge and expert with their number of points",
            )
    points = chosen["selection"]["points"]
    picked = points[0].get("customdata") if points else None
    if isinstance(picked, (list, tuple)) and len(picked) >= 2:
        st.markdown(f"Expert **{plain(picked[0])}**, judge **{plain(picked[1])}**")
        cases(behind(compared, str(picked[0]), str(picked[1]), tag_agreement.ABSENT), questions)
    elif not wrong.empty:
        kind = st.selectbox(
            "Read the points of one kind",
            [None, *wrong["kind"]],
            key=KIND_KEY,
            format_func=lambda name: "Choose a kind of disagreement" if name is None else name,
        )
        if kind is not None:
            cases(compared[compared["kind"] == kind], questions)

st.subheader("Bias", anchor=False)
with st.grid(2, min_column_width=400, key="bias"):
    for row in rows:
        st.plotly_chart(
            figures.bland_altman(differences(answers, row.score), row.bias, row.score),
            key=f"bias_{row.score}",
            config={"displayModeBar": False},
            alt=f"Judge minus expert {row.score} against their mean, with bias and limits of agreement",
        )
if len(names) > 1:
    st.subheader("Experts among themselves", anchor=False)
    among = tag_agreement.experts_among_themselves([label for label in found if label.item_id in shown], beta)
    statistics, cut = among
    st.plotly_chart(
        figures.raters(statistics),
        key="raters",
        config={"displayModeBar": False},
        alt="Percent agreement, kappas, alpha and AC1 among experts by tag, Correctness and Relevance",
    )
    undefined = {f"{key}: {one.name}": one.reason for key, values in statistics.items() for one in values if one.reason}
    for name, reason in undefined.items():
        st.caption(plain(f"{name} is undefined: {reason}"))
    if cut is not None:
        st.caption(
            f"Over {cut.answers:,} answers with two label sets: {cut.pairs:,} points matched, "
            f"{cut.splits + cut.merges:,} cut finer by one, {cut.only_judge + cut.only_expert:,} only one has. LeMAJ "
            "reports agreement between annotators of .77 for Correctness and .53 for Relevance (150 answers)."
        )
table = in_a_table(rows, baselines)
with st.expander("In the form of LeMAJ's tables 2 and 3", icon=":material/table:"):
    st.dataframe(table, hide_index=True, alt="Methods with correlation, p and bucketed accuracy")
    downloads(table, f"agreement-{view.run_id}")
downloads(pd.DataFrame(compared), f"points-compared-{view.run_id}")
