"""Specificity: which details the answers state, and whether they can be verified in the source."""

import streamlit as st

from components import cached
from components import specificity as parts
from components.figures import specificity as figures
from components.figures import specificity_claims as claim_figures
from components.filters import filter_row
from components.markup import stylesheet
from components.palette import colours
from components.shell import copy_link, frame
from components.tables import downloads
from components.words import interval, left_out, number, percent, plain
from lemaj_core.analysis import specificity as analysis
from lemaj_core.analysis import summary
from lemaj_core.metrics.table import METRICS

PAGE, MOST_VOTES = 10, 2_000
view = frame(
    "Specificity",
    "Which details do these answers state, and can they be verified in the source?",
    group="specificity",
)
st.html(stylesheet())
version = cached.version(view.run_id)
everything = cached.answers(view.run_id, view.judge, version)
passed = filter_row(everything)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="sp_settings"):
    na = st.segmented_control(
        "An answer that states nothing in any dimension is",
        parts.CONVENTIONS,
        default=view.run.settings.all_na if view.run else "undefined",
        required=True,
        key="sp_na",
        bind="query-params",
        help="Counted anew from the stored votes; nobody is asked again. SCORE's authors write 0 for such answers: 63 "
        "of their 1,412 rows; their mean is .4515 with them and .473 without.",
    )
    sort = st.selectbox("Order", list(parts.SORTS), key="sp_sort", bind="query-params", width=190)
copy_link(parts.ANSWER_KEY, parts.CLAIM_KEY, parts.DIMENSION_KEY, "sp_na", "sp_sort", into=view.header)
names, table = cached.specificity(view.run_id, view.judge, version, all_na=na)
answers = parts.ordered(parts.joined(passed, table), sort)
if answers.empty or not names:
    reasons = table["reason"].dropna().unique() if not table.empty else []
    st.info(
        "Take a filter off to see answers again."
        if passed.empty
        else plain("; ".join(map(str, reasons)) or "No answer has been examined yet."),
        title="No answer passes the filters" if passed.empty else "Nothing to show yet",
        icon=":material/filter_alt:",
    )
    st.stop()

found = summary.mean(answers["specificity"], answers["status"])
agreed, seen = analysis.agreement(answers, names)
yes, stated = (int(sum(answers[prefix + name].sum() for name in names)) for prefix in (analysis.YES, analysis.STATED))
weights = ", ".join(f"{plain(name)} {weight:g}" for name, weight in names.items())
with st.grid(3, min_column_width=165, border=True, key="figures"):
    with st.container(gap=None):
        metric = METRICS["specificity"]
        st.metric(metric.label, None if found.mean is None else number(found.mean), help=plain(metric.caveat))
        st.caption(" · ".join(filter(None, [interval(found).partition(" ")[2], left_out(found)])))
    with st.container(gap=None):
        st.metric("Details borne out", percent(yes / stated) if stated else None)
        st.caption(f"yes {yes:,} of {stated:,} claim × dimension pairs that state something")
    with st.container(gap=None):
        st.metric("Judges agree", percent(agreed / seen) if seen else None)
        st.caption(f"all say the same on {agreed:,} of {seen:,} pairs; a majority decides, a tie is n/a")
st.caption(f"Weights: {weights}. One detail that is borne out scores like forty: read the score with its counts.")
if said := parts.measured(view.judge):
    st.caption(plain(said))

pages = -(-len(answers) // PAGE)
at = min(st.pagination(pages, key="sp_page") or 1, pages) if pages > 1 else 1
part = answers.iloc[(at - 1) * PAGE : at * PAGE]
opened = str(st.session_state.get(parts.ANSWER_KEY, st.query_params.get(parts.ANSWER_KEY, part["item_id"].iloc[0])))
st.plotly_chart(
    figures.answer_cells(part, list(names), whole=answers, chosen=opened),
    key=parts.ANSWERS_CHART,
    on_select=parts.picked_answer,
    selection_mode="points",
    config={"displayModeBar": False},
    alt="Answers by dimension: share of yes, and how many claims state anything",
)
st.caption(
    "Full square: claims that state something, coloured by the share that is borne out. Empty square: all claims of "
    "the answer. Click a cell to open the answer."
)

with st.container(border=True, key="sp_one"):
    st.subheader("One answer", anchor=False)
    item_id = parts.choose_answer(answers)
    finding = next(iter(cached.findings(view.run_id, item_id or "", view.judge).get("specificity", [])), None)
    if finding is None or not finding.detail:
        why = finding.reason if finding else "it has not been examined yet"
        st.info(f"There are no votes on this answer: {plain(why)}.", icon=":material/rule:")
    else:
        cell = parts.chosen_cell(finding.detail)
        st.plotly_chart(
            claim_figures.claim_cells(finding.detail, chosen=cell),
            key=parts.CLAIMS_CHART,
            on_select=parts.picked_cell,
            selection_mode="points",
            config={"displayModeBar": False},
            alt="Claims by dimension with the majority's label and every judge's vote",
        )
        st.caption("Word and colour: the majority. Marks below: one per judge. Click a cell to see the votes.")
        parts.notes(finding)
        cell = parts.choose_cell(finding.detail, cell)
        with st.grid(2, min_column_width=330, gap="medium", key="sp_cell") as grid:
            with grid.cell():
                st.html(parts.cell_card(finding.detail, cell))
            with grid.cell():
                parts.source_panel(view.run, finding.item_id, finding.detail, cell)
                with st.expander("The whole answer, this claim marked", key="sp_answer_text"):
                    parts.answer_text(view.run, finding.item_id, finding.detail, cell[0])

shown = colours(everything["model"].dropna().astype(str).unique())
st.plotly_chart(
    figures.profiles(analysis.profile(answers, list(names)), shown),
    key="sp_profile",
    config={"displayModeBar": False},
    alt="Mean share of yes per dimension and model with 95 percent intervals",
)
st.caption("Mean over answers that state the dimension; answers about one document are not independent.")
numbers = st.expander("The numbers behind the pictures", icon=":material/table:", key="sp_numbers", on_change="rerun")
if numbers.open:
    with numbers:
        st.caption("One row per answer, counted by dimension")
        downloads(answers, f"specificity-{view.run_id}")
        if len(answers) <= MOST_VOTES:
            kept = set(answers["item_id"])
            each = cached.store().each_finding(view.run_id, "specificity", view.judge)
            st.caption("One row per vote, with evidence and reason")
            downloads(analysis.votes(one for one in each if one.item_id in kept), f"votes-{view.run_id}")
        else:
            st.caption(f"Every vote can be downloaded for at most {MOST_VOTES:,} answers: use the filters.")
