"""What the Context utilization page needs: one answer's claims as rows, what the judge cites of them, and cards.

Reads findings, judgements and texts; computes no score and draws no figure.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from components import cached
from components.palette import EFFECTS, badge_text
from components.words import number, percent, plain, short
from lemaj_core.analysis import context_utilization as analysis
from lemaj_core.metrics.context_utilization import NOISE, effects_of, kinds
from lemaj_core.types import Evidence, Finding, Run, Status, Tag

MOST_LISTED, MOST_OFFERED = 8, 200
# benchmarks/context_utilization.py, three constructed texts of 10, 20 and 40 claims.
FAST_MEASURED = (
    "Pearson 0.996, 0.996 and 0.994 with the exact Δ on three texts of 10, 20 and 40 claims, the same three strongest "
    "claims on each"
)


def choose(answers: pd.DataFrame, key: str) -> str | None:
    """Let the reader choose one answer, the one that rests most on its context first; None where there is none.

    The id of the chosen answer stands in the address; an unknown one falls back to the first.
    """
    ordered = answers.sort_values("cu_rel", ascending=False, na_position="last", kind="stable")
    if ordered.empty:
        return None
    asked = st.query_params.get(key)
    head = ordered.head(MOST_OFFERED)
    if asked not in set(head["item_id"]):
        head = pd.concat([head, ordered[ordered["item_id"] == asked]])
    shown = {row["item_id"]: _label(row) for row in head.to_dict("records")}
    st.session_state[key] = asked if asked in shown else next(iter(shown))
    return st.selectbox(
        "Answer, the one that rests most on its context first",
        list(shown),
        format_func=lambda name: shown.get(name, name),
        key=key,
        on_change=_moved,
        args=(key,),
    )


def _moved(key: str) -> None:
    st.query_params[key] = st.session_state[key]


def _label(row: dict[str, Any]) -> str:
    scored = row["cu_rel_status"] == "scored"
    model = short(row["model"], 24) if isinstance(row["model"], str) else None
    said = f"CU_rel {percent(row['cu_rel'])}" if scored else str(row["cu_status"])
    return " · ".join(filter(None, [said, short(row["question"], 80), model]))


def evidence_of(run: Run, judge: str, item_id: str) -> dict[str, list[tuple[str, Evidence]]] | None:
    """Evidence of the points that are in the answer, with the point's tag and text; None without data points."""
    if "data_points" not in run.settings.metrics:
        return None
    judgement = cached.store().judgement(run.id, item_id, judge)
    if judgement is None or judgement.status is Status.FAILED:
        return None
    found: dict[str, list[tuple[str, Evidence]]] = {}
    for point in judgement.points:
        if point.tag is not Tag.MISSING:
            for one in point.evidence:
                found.setdefault(f"{badge_text(point.tag)}: {point.text}", []).append((point.text, one))
    return found


def claim_rows(
    finding: Finding, evidence: dict[str, list[tuple[str, Evidence]]] | None, variant: str
) -> list[dict[str, Any]]:
    """Give one row per claim in the order of the context: number, text, effects, kind, and the points that cite it."""
    claims = finding.detail["claims"]
    effects = effects_of(finding.detail, variant)
    citing: list[list[str]] = [[] for _ in claims]
    for point, pieces in (evidence or {}).items():
        for place, hit in enumerate(analysis.cited(claims, [one for _, one in pieces])):
            if hit:
                citing[place].append(point)
    return [
        {
            "number": place + 1,
            "text": claim["text"],
            "delta": float(effects.delta[place]),
            "delta_rel": float(effects.delta_rel[place]),
            "without": float(finding.detail["entropy_without" if variant == "entropy" else "without"][place]),
            "kind": kind,
            "cited": bool(citing[place]),
            "citing": citing[place],
        }
        for place, (claim, kind) in enumerate(zip(claims, kinds(effects), strict=True))
    ]


def how_found(details: Sequence[bool]) -> str:
    """Say in a title how the effects were found."""
    if not any(details):
        return "exact"
    return "fast approximation" if all(details) else "partly a fast approximation"


def agreement_words(table: pd.DataFrame) -> str:
    """Say how well fast effects agree with exact ones: on answers of this run scored in both ways, and as measured."""
    checked = table[table["check_same"].notna()]
    there = f"On the benchmark: {FAST_MEASURED}."
    if checked.empty:
        return f"No answer of this run was scored in both ways. {there}"
    same = int(checked["check_same"].astype(bool).sum())
    known = checked["check_pearson"].dropna()
    r = f"Pearson {number(known.mean())} on average, {number(known.min())} at worst; " if len(known) else ""
    return (
        f"Checked on {len(checked):,} answers of this run that were also scored exactly: {r}the three strongest claims "
        f"are the same on {same:,} of {len(checked):,}. {there}"
    )


def legend() -> None:
    """Say what the kinds of claims are."""
    said = [f"**{look.icon} {kind}**: {look.meaning}" for kind, look in EFFECTS.items()]
    st.caption(
        f"{' · '.join(said)} (within {percent(NOISE)} of the likelihood is neutral) · **§** cited by the judge. "
        "A claim that stands there twice gets an effect near 0 although it was used: either copy does without the "
        "other."
    )


def claim_card(row: dict[str, Any], variant: str) -> None:
    """Show one claim in full with its effect and the points of the judge that cite it."""
    look = EFFECTS[row["kind"]]
    with st.container(border=True, key="claim_card", gap="small"):
        st.caption(f"Claim {row['number']}")
        st.markdown(plain(row["text"]))
        st.markdown(f"**{look.icon} {row['kind']}**: {look.meaning}")
        name = "minus entropy, nats" if variant == "entropy" else "likelihood"
        st.caption(
            f"Δ = {row['delta']:+.4f}, δ = {100 * row['delta_rel']:+.2f} %, {name} without it {row['without']:.4f}"
        )
        if row["citing"]:
            st.caption("Cited by the judge for")
            for point in row["citing"][:4]:
                st.markdown(f"- {plain(short(point, 220))}")
        else:
            st.caption("No point of the judge cites it.")


def disagreements(rows: list[dict[str, Any]], known: bool) -> None:
    """List what the judge cites and the proxy ignores, and the reverse."""
    if not known:
        st.info(
            "Whether the judge cites a claim is known only in runs with Legal Data Points.", icon=":material/link_off:"
        )
        return
    ignored = [row for row in rows if row["cited"] and row["kind"] != "necessary"]
    uncited = [row for row in rows if not row["cited"] and row["kind"] == "necessary"]
    for title, found, none in (
        ("Cited by the judge, ignored by the proxy", ignored, "The proxy needs every claim that the judge cites."),
        ("Needed by the proxy, not cited by the judge", uncited, "The judge cites every claim that the proxy needs."),
    ):
        st.markdown(f"**{title}** :gray-badge[{len(found)}]")
        if not found:
            st.caption(none if any(row["cited"] for row in rows) else "The judge cites none of these claims.")
        ordered = sorted(found, key=lambda row: -abs(row["delta"]))
        for row in ordered[:MOST_LISTED]:
            look = EFFECTS[row["kind"]]
            st.markdown(
                f"{row['number']}\\. {plain(short(row['text'], 150))} "
                f":gray-badge[{look.icon} δ {100 * row['delta_rel']:+.2f} %]"
            )
        if len(found) > MOST_LISTED:
            st.caption(f"and {len(found) - MOST_LISTED} more")


def proxies_table(table: pd.DataFrame) -> pd.DataFrame:
    """Spell the proxies of a run out for reading, one row each."""
    rows = []
    for one in analysis.by_proxy(table):
        cu, rel, rho = one["cu"], one["cu_rel"], one["rho"]
        between = "" if rel.low is None else f" [{100 * rel.low:.1f}, {100 * rel.high:.1f}]"
        rows.append(
            {
                "proxy": one["proxy"],
                "CU": number(cu.mean, 4),
                "CU_rel": percent(rel.mean) + between,
                "mean f(q, C)": number(one["full"], 3),
                "rho(claims, documents)": _relation(rho),
                "n": rel.n_scored,
                "undefined": rel.n_undefined,
                "failed": rel.n_failed,
            }
        )
    return pd.DataFrame(rows)


def pair_lines(table: pd.DataFrame) -> list[str]:
    """Give one sentence for every two proxies: how their CU correlates over the answers."""
    return [
        f"CU of {plain(one)} and {plain(other)}: Pearson {plain(_relation(found))}"
        for one, other, found in analysis.pairs(table)
    ]


def _relation(found: Any) -> str:
    if found.value is None:
        return f"undefined ({found.reason})"
    between = "" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{found.value:.2f}{between}, n = {found.n:,}"
