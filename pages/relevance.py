"""Relevance: do the answers meet their questions, which points carry them, and do they hold when questions change."""

import streamlit as st

from components import cached
from components import relevance as parts
from components.figures import relevance as figures
from components.filters import filter_row
from components.markup import stylesheet
from components.palette import colours
from components.shell import copy_link, frame
from components.tables import downloads
from components.words import interval, left_out, number, percent, plain
from lemaj_core.analysis import relevance as analysis
from lemaj_core.analysis import summary
from lemaj_core.metrics.table import METRICS

PUBLISHED = {
    "answer_relevance": "SCORE: .68 to .83",
    "robustness_paraphrase": "SCORE: .86 to .89",
    "robustness_perturbation": "SCORE: .60 to .66 (one of four .87)",
}

view = frame("Relevance", "Do the answers meet their questions, and do they hold when a question changes?")
groups = [group for group in parts.GROUPS if view.run is not None and group in view.run.settings.metrics]
if not groups:
    st.info(
        "Tick Answer relevance, Re-ranking of points or Robustness under Metrics on the Evaluate page and start a run "
        "of the same data, or on the command line: python -m lemaj_core run FILE --metrics "
        "answer_relevance,reranking,robustness. The hazard sample has all three: python -m lemaj_core demo --sample "
        "hazard",
        title="This run has none of the relevance metrics",
        icon=":material/inbox:",
    )
    st.stop()
st.html(stylesheet())
version = cached.version(view.run_id)
everything = cached.answers(view.run_id, view.judge, version)
answers = filter_row(everything)
copy_link(parts.ANSWER_KEY, into=view.header)
if answers.empty:
    st.info(
        "Take a filter off to see answers again.", title="No answer passes the filters", icon=":material/filter_alt:"
    )
    st.stop()
shown = colours(figures.named(everything).unique())
kept = set(answers["item_id"].astype(str))
found = {
    group: [one for one in cached.run_findings(view.run_id, group, view.judge, version) if one.item_id in kept]
    for group in groups
}

with st.grid(4, min_column_width=165, border=True, key="figures"):
    for key in ("answer_relevance", "robustness_paraphrase", "robustness_perturbation"):
        if METRICS[key].group in groups:
            mean = summary.metric_mean(answers, key)
            with st.container(gap=None):
                st.metric(
                    METRICS[key].label,
                    None if mean.mean is None else number(mean.mean),
                    help=plain(METRICS[key].caveat),
                )
                st.caption(" · ".join(filter(None, [interval(mean).partition(" ")[2], left_out(mean)])))
                st.caption(f"{METRICS[key].direction}. {PUBLISHED[key]}")
    if "reranking" in groups:
        changed, ordered = analysis.changed_orders(found["reranking"])
        with st.container(gap=None):
            st.metric("Order of points changes", percent(changed / ordered) if ordered else None)
            st.caption(f"{changed:,} of {ordered:,} answers with at least two points")
            st.caption("SCORE: 98.7 % and 98.9 % of 1,412")

if "answer_relevance" in groups:
    with st.grid(2, min_column_width=400, key="overview"):
        st.plotly_chart(
            figures.by_model(answers, "answer_relevance", shown, least=figures.PAIR_HEIGHT),
            key="by_model",
            config={"displayModeBar": False},
            alt="Masked relevance of each answer by model, with mean and 95 percent interval",
        )
        compared = analysis.pairs(found["answer_relevance"]).merge(answers[["item_id", "question", "model"]])
        st.plotly_chart(
            figures.masked_against_unmasked(compared, shown),
            key="masked_unmasked",
            config={"displayModeBar": False},
            alt="Similarity with masked words against similarity of the answer as it is, one dot per answer",
        )
    st.caption(
        f"n = {len(compared):,} answers in which something was masked. Below the dotted line, the similarity came "
        "partly from the words that question and answer share. Questions and answers longer than 256 word pieces are "
        "embedded in chunks whose vectors are averaged. Intervals: 95 %, answers to one question are not independent."
    )

with st.container(border=True, key="one"):
    st.subheader("One answer", anchor=False)
    item_id = parts.choose(answers)
    item = cached.store().items(view.run.dataset_id, [item_id]).get(item_id) if item_id and view.run else None
    if item is not None:
        st.markdown(f"**Question asked**: {plain(item.question)}")
        panels = {
            "answer_relevance": ("Questions written back", parts.masked_panel),
            "reranking": ("Order of its points", parts.order_panel),
            "robustness": ("Answers to changed questions", parts.robustness_panel),
        }
        tabs = st.tabs([panels[group][0] for group in groups], key="panels")
        for tab, group in zip(tabs, groups, strict=True):
            with tab:
                finding = parts.finding_of(view.run_id, view.judge, item.id, group)
                if finding is None:
                    st.info("This answer has not been examined yet.", icon=":material/hourglass_top:")
                else:
                    panels[group][1](finding, item)

if "reranking" in groups:
    st.plotly_chart(
        figures.by_model(answers, "rerank_logit", shown),
        key="logits",
        config={"displayModeBar": False},
        alt="Relevance logit of each answer by model, with mean and 95 percent interval",
    )
if "robustness" in groups:
    st.plotly_chart(
        figures.robustness(answers),
        key="robustness",
        config={"displayModeBar": False},
        alt="Similarity of each answer with the answers to the paraphrased and to the perturbed question",
    )
    st.caption(
        "Wide gaps with the filled dot on the right are good: same question, same answer; another question, another "
        "answer. Answers where both are far left change with every wording; both far right, with none."
    )
downloads(answers, f"relevance-{view.run_id}")
