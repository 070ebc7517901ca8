"""Context utilization: which claims of its context an answer rests on, and whether the judge cites the same ones."""

import streamlit as st

from components import cached
from components import context_utilization as parts
from components.figures import context_utilization as figures
from components.filters import filter_row
from components.shell import copy_link, frame, open_page
from components.tables import downloads
from components.words import interval, left_out, number, percent, plain
from lemaj_core.analysis import summary
from lemaj_core.metrics.table import METRICS

GROUP = "context_utilization"
ONE, PROXY, EFFECT, ORDER, KIND, CHART = "cu_answer", "cu_proxy", "cu_effect", "cu_order", "cu_kind", "cu_bars"
EFFECTS = {"δ, %": "delta_rel", "Δ": "delta"}
ORDERS = ("strongest first", "in the order of the context")
VARIANTS = ("probability", "entropy")

view = frame("Context utilization", "Which claims of its context does an answer rest on?", group=GROUP)
version = cached.version(view.run_id)
answers = filter_row(cached.answers(view.run_id, view.judge, version))
copy_link(ONE, PROXY, EFFECT, ORDER, KIND, into=view.header)
if answers.empty:
    st.info(
        "Take a filter off to see answers again.", title="No answer passes the filters", icon=":material/filter_alt:"
    )
    st.stop()
table = cached.utilization(view.run_id, view.judge, version)
table = table[table["item_id"].isin(answers["item_id"])]
proxies = list(dict.fromkeys(table["proxy"]))
first = table[table["proxy"] == proxies[0]] if proxies else table
way = parts.how_found(table.loc[table["status"] == "scored", "approximate"].tolist())

with st.grid(3, min_column_width=150, border=True, key="figures"):
    for key in ("cu", "cu_rel"):
        metric, found = METRICS[key], summary.metric_mean(answers, key)
        relative = key == "cu_rel"
        with st.container(gap=None):
            st.metric(
                metric.label,
                None if found.mean is None else percent(found.mean) if relative else number(found.mean, 4),
                help=f"{metric.formula}. {metric.caveat}",
            )
            if relative and found.low is not None:
                ends = f"[{percent(found.low)}, {percent(found.high)}], n = {found.n_scored:,}"
            else:
                ends = interval(found, 4).partition(" ")[2]
            st.caption(" · ".join(filter(None, [ends, left_out(found)])))
            st.caption("SCORE: means of 1 to 2 %" if relative else metric.direction)
    with st.container(gap=None):
        scored = first[first["status"] == "scored"]
        st.metric("Claims per answer", number(scored["claims"].mean(), 1) if len(scored) else None)
        st.caption(f"mean likelihood with all claims {number(scored['full'].mean(), 3)}")
        st.caption(plain(f"{way}, by {', '.join(proxies)}"))
if way != "exact":
    st.caption(plain(f"Fast approximation: {parts.agreement_words(table)}"))

st.subheader("One answer, claim by claim", anchor=False)
item_id = parts.choose(answers, ONE)
with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="switches"):
    proxy = proxies[0] if proxies else ""
    if len(proxies) > 1:
        proxy = st.segmented_control("Proxy", proxies, default=proxies[0], required=True, key=PROXY) or proxy
    effect = st.segmented_control(
        "Effect", list(EFFECTS), default="δ, %", required=True, key=EFFECT, bind="query-params",
        help="Δ is the fall of the likelihood without the claim, δ the same in percent of it.",
    )  # fmt: skip
    order = st.segmented_control("Order", ORDERS, default=ORDERS[0], required=True, key=ORDER, bind="query-params")
    variant = st.segmented_control(
        "Likelihood", VARIANTS, default="probability", required=True, key=KIND, bind="query-params",
        help="Entropy: how sure the proxy is of its predictions at the answer's words, whatever the words are.",
    )  # fmt: skip

several = cached.findings(view.run_id, str(item_id), view.judge).get(GROUP, [])
finding = next((one for one in several if one.by == proxy), None)
if finding is None or view.run is None:
    st.info("This answer has not been examined yet.", icon=":material/hourglass_top:")
elif finding.status != "scored":
    st.warning(plain(finding.reason), title=f"{str(finding.status).capitalize()}", icon=":material/block:")
else:
    evidence = parts.evidence_of(view.run, view.judge, finding.item_id)
    measure = EFFECTS.get(str(effect), "delta_rel")
    rows = parts.claim_rows(finding, evidence, str(variant))
    ordered = rows if order == ORDERS[1] else sorted(rows, key=lambda row: -row[measure])
    how = "fast approximation" if finding.detail["approximate"] else "exact"
    name = " by entropy" if variant == "entropy" else ""
    with st.container(key="one_answer"):
        event = st.plotly_chart(
            figures.claim_bars(
                ordered,
                key=measure,
                title=f"Each claim left out in turn{name} ({how})",
                running=order == ORDERS[1],
            ),
            key=CHART,
            on_select="rerun",
            selection_mode="points",
            config={"displayModeBar": False},
            alt="Effect of leaving out each claim of the context on the likelihood of the answer",
        )
    parts.legend()
    kept = finding.detail
    st.caption(
        plain(
            f"{len(rows)} claims ({'sentences' if kept['claims_by'] == 'sentences' else 'by ' + kept['claims_by']}) of "
            f"{kept['passages']} {'retrieved contexts' if kept['retrieved'] else 'passages of the document'}, "
            f"{kept['context_tokens']:,} tokens; answer {kept['answer_tokens']:,} tokens; likelihood "
            f"{kept['full']:.4f} with all claims"
            + (f", {kept['full_documents']:.4f} with the whole passages" if kept["full_documents"] is not None else "")
        )
    )
    for note in finding.notes:
        st.caption(plain(note))
    with st.grid(2, min_column_width=330, gap="medium", key="beside") as grid:
        with grid.cell():
            picked = [point.get("customdata") for point in event.selection.points] if event else []
            number_of = picked[0] if picked else ordered[0]["number"]
            number_of = number_of[0] if isinstance(number_of, list) else number_of
            st.caption("Click a bar to read its claim.")
            parts.claim_card(next((row for row in rows if row["number"] == number_of), ordered[0]), str(variant))
            if st.button("Open this answer", icon=":material/article:", type="tertiary", key="cu_open"):
                open_page("pages/answers.py", answer=finding.item_id)
        with grid.cell():
            parts.disagreements(rows, evidence is not None)

st.subheader("The run", anchor=False)
with st.grid(2, min_column_width=400, key="spreads"):
    for key in ("cu", "cu_rel"):
        st.plotly_chart(
            figures.spread(answers, key),
            key=f"spread_{key}",
            config={"displayModeBar": False},
            alt=f"Distribution of {METRICS[key].label} per model with mean and 95 percent interval",
        )
st.subheader("Proxies", anchor=False)
st.dataframe(parts.proxies_table(table), hide_index=True, alt="Means of each proxy model and its diagnostic")
st.caption(
    "rho(claims, documents) is Spearman's: does the proxy trust the answer as much given the claims as given the whole "
    "passages? Where it does not, its effects say little."
)
for line in parts.pair_lines(table):
    st.caption(line)
questions = answers.set_index("item_id")["question"]
with st.grid(2, min_column_width=400, key="proxies"):
    st.plotly_chart(
        figures.two_sides(
            first.assign(question=first["item_id"].map(questions)),
            "full", "full_documents",
            title="Likelihood given the claims and given the passages",
            axes=("given the claims", "given the passages"),
        ),
        key="claims_documents",
        config={"displayModeBar": False},
        alt="Likelihood of each answer given the claims against given the whole passages",
    )  # fmt: skip
    if len(proxies) > 1:
        wide = (100 * table.pivot(index="item_id", columns="proxy", values="cu_rel")).reset_index()
        st.plotly_chart(
            figures.two_sides(
                wide.assign(question=wide["item_id"].map(questions)),
                proxies[0], proxies[1],
                title="Relative context utilization by two proxies, %",
                axes=(figures.style.label(proxies[0], 40), figures.style.label(proxies[1], 40)),
            ),
            key="two_proxies",
            config={"displayModeBar": False},
            alt="Relative context utilization of each answer by the first proxy against the second",
        )  # fmt: skip
    else:
        st.caption("Name a second proxy (--set proxies=packaged,NAME) to see whether another model agrees.")
downloads(answers, f"context-utilization-{view.run_id}")
