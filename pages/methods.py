"""Methods: every formula, where it comes from, when it is undefined, and what it does not see."""

import math

import streamlit as st

from components.facts import LIMITS, PUBLISHED, SOURCES, offline_rows, versions
from components.palette import TAGS
from components.shell import copy_link, frame
from components.words import plain
from lemaj_core.metrics.table import COUNTS, GROUPS, in_group

QUESTION = "What does every number mean, where does it come from, and what does it not see?"

view = frame("Methods", QUESTION, needs_run=False)
copy_link(into=view.header)

st.subheader("Legal Data Points", anchor=False)
st.markdown(
    "A judge splits an answer into self-contained assertions, the Legal Data Points, and tags each one. What the "
    "answer should have said and did not is added as a point that is missing."
)
st.table(
    {
        f"{look.icon} {look.word}": meaning
        for look, meaning in zip(
            TAGS.values(),
            (
                "true according to the document, and answers the question",
                "false, contradicted by the document, or invented",
                "true, but not an answer to the question",
                "the document says it, the question needs it, the answer leaves it out",
            ),
            strict=True,
        )
    },
    border="horizontal",
    width="content",
    alt="The four tags and their meaning",
)

for group, title in GROUPS.items():
    st.subheader(f"{title}: scores", anchor=False)
    if group == "data_points":
        st.caption(COUNTS)
    with st.grid(2, min_column_width=380, border=True, key=f"metrics_{group}"):
        for metric in in_group(group):
            with st.container(key=f"metric_{metric.key}"):
                st.markdown(f"**{plain(metric.label)}**")
                st.markdown(f"`{metric.formula}`")
                low, high = (f"{x:g}" if math.isfinite(x) else "unbounded" for x in (metric.low, metric.high))
                st.table(
                    {
                        "Range": plain(f"{low} to {high}; {metric.direction}"),
                        "Undefined": plain(metric.undefined),
                        "Source": plain(metric.source),
                        "Caveat": plain(metric.caveat),
                        "Example": plain(metric.example),
                    },
                    border="horizontal",
                    alt=f"Range, undefined case, source, caveat and example of {metric.label}",
                )

st.subheader("Offline judge", anchor=False)
st.markdown(
    "Without a key and without a network, small models and rules take the place of a language model: sentences become "
    "points, passages of the document are found and compared, and numbers, dates, parties, negations and modal verbs "
    "are checked against each other. It is approximate; these figures were measured on labelled data."
)
rows = [{name: plain(value) for name, value in row.items()} for row in offline_rows()]
st.table(rows, border="horizontal", width="content", hide_index=True, alt="Measured figures of the offline judge")
st.caption(
    "Baseline: word overlap. The rules were written with an eye on misses in the seven real contracts, and the "
    "threshold of support was set on the sample answers, so the figures on those are kind to the judge."
)

st.subheader("Means, triage and risk", anchor=False)
st.markdown(
    "- **Means** count scored answers only. Undefined (nothing to judge) and failed (no usable verdict) are never 0; "
    "they are counted beside every mean. Intervals are Student's t at 95 %, cut to the range of the score.\n"
    "- **Cleared** means that Correctness and Relevance both reach their thresholds, compared as exact fractions of "
    "the counts, never as rounded decimals.\n"
    "- **Time saved** is the review minutes of cleared answers over those of all answers.\n"
    "- **Defects let through** is the share of defective answers among the cleared ones that an expert scored, with "
    "the one-sided 95 % Clopper-Pearson bound. With no defect among 51 cleared answers the bound is "
    "1 − 0.05^(1/51) = 5.7 %.\n"
    "- **Flips** is the least number of tags that would have to change for the decision to change.\n"
    "- **Buckets** round a score down to 0, 0.25, 0.5, 0.75 or 1, the scale of the paper's experts."
)
st.markdown("**Published by the authors of LeMAJ** (Pearson r with expert scores; bucketed accuracy in brackets)")
st.table(PUBLISHED, border="horizontal", width="content", hide_index=True, alt="Published agreement with experts")

st.subheader("Data, limits, versions", anchor=False)
with st.grid(3, min_column_width=270, border=True, key="about"):
    with st.container(key="limits"):
        st.markdown("**Limits**")
        st.markdown("\n".join(f"- {line}" for line in LIMITS))
    with st.container(key="sources"):
        st.markdown("**Data and sources**")
        st.markdown("\n".join(f"- {line}" for line in SOURCES))
    with st.container(key="versions"):
        st.markdown("**Versions**")
        recorded = dict(view.run.versions) if view.run else {}
        st.table({plain(k): plain(v) for k, v in (recorded or versions()).items()}, border="horizontal", alt="Versions")
        st.caption("as recorded by the chosen run" if recorded else "as installed")
