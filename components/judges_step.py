"""Step 3 of Evaluate: who judges, what is computed, and by which settings. Starts nothing and asks no model."""

from collections.abc import Sequence

import streamlit as st

from components.facts import offline_sentence
from components.judge_facts import OFFLINE, Place, abilities, destination, is_local
from components.keys import key_field
from components.mapping_step import Data
from components.score_step import score_step
from components.words import plain
from lemaj_core.metrics.table import GROUPS, in_group
from lemaj_core.types import Run, RunSettings, Strictness, juror

QUICK = ("data_points", "readability")
"""Groups that are chosen at first: the others take seconds to minutes for each answer, or several calls."""

STRICTNESS = {
    Strictness.LENIENT: "A true point is irrelevant only when it plainly has nothing to do with the question.",
    Strictness.STANDARD: "A true point is irrelevant when the question did not ask for it.",
    Strictness.STRICT: "A true point is irrelevant unless it is needed to answer the question.",
}


def judges_step(data: Data, earlier: Sequence[Run]) -> RunSettings:
    """Draw the choice of judges, metrics and settings, and return it."""
    judges = _judges(earlier)
    remote = [judge for judge in judges if not is_local(judge)]
    base_url = None
    if remote:
        base_url = _base_url()
        _keys(remote, base_url)
    groups = _metrics(judges, data)
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        strictness = st.segmented_control(
            "Relevance is judged",
            list(STRICTNESS),
            default=Strictness.STANDARD,
            required=True,
            key="evaluate_strictness",
            help="\n\n".join(f"**{word}**: {meaning}" for word, meaning in STRICTNESS.items()),
            persist_state="session",
        )
        beta = st.number_input(
            "Weight of Recall (β)",
            min_value=0.1,
            max_value=10.0,
            value=1.0,
            step=0.5,
            key="evaluate_beta",
            width=170,
            help="1: Precision and Recall count the same in Relevance. 2: an omission weighs more than padding.",
            persist_state="session",
        )
        concurrency, cap, reference = 4, None, True
        if remote:
            concurrency, cap = _limits()
        if remote and data.reference:
            reference = st.toggle(
                "Show the reference answer to the judge", value=True, key="evaluate_reference", persist_state="session"
            )
    chosen = RunSettings(
        judges=tuple(judges),
        metrics=tuple(groups),
        strictness=Strictness(strictness),
        beta=float(beta),
        use_reference=bool(reference),
        base_url=base_url,
        concurrency=int(concurrency),
        max_cost=cap,
    )
    return score_step(chosen, data.columns, bool(remote))


def _judges(earlier: Sequence[Run]) -> list[str]:
    used = [judge for run in earlier for judge in run.settings.judges]
    judges = st.multiselect(
        "Judges",
        list(dict.fromkeys([OFFLINE, *used])),
        default=[OFFLINE],
        accept_new_options=True,
        format_func=lambda judge: "offline judge (approximate)" if judge == OFFLINE else judge,
        key="evaluate_judges",
        placeholder="offline, or type a model name such as openai/gpt-4o",
        help="Choose the offline judge, or type any model name that litellm knows, as provider/model. Several judges "
        "judge every answer each; MODEL#2 is the same model asked again, MODEL#VERSION another prompt.",
        persist_state="session",
    )
    if OFFLINE in judges:
        st.caption(f":material/wifi_off: Offline judge, approximate; nothing leaves this machine. {offline_sentence()}")
    return list(dict.fromkeys(judge.strip() for judge in judges if judge.strip()))


def _base_url() -> str | None:
    url = st.text_input(
        "Base URL (optional)",
        key="evaluate_base_url",
        placeholder="http://localhost:8000/v1",
        help="Address of a model that you serve yourself. It is used for every language model of this run.",
        width=420,
        persist_state="session",
    )
    return url.strip() or None


def _keys(remote: Sequence[str], base_url: str | None) -> None:
    """Say for each language model where the text goes and which key it wants."""
    with st.grid(2, min_column_width=300) as grid:
        for model in dict.fromkeys(juror(judge).model for judge in remote):
            with grid.cell(), st.container(border=True, gap="xsmall", key=f"judge_card_{model}"):
                target = destination(model, base_url)
                icon = ":material/public:" if target.place is Place.OUTSIDE else ":material/lan:"
                st.caption(f"{icon} **{plain(model)}** · {plain(target.sentence)}")
                key_field(model, place="step")


def _metrics(judges: Sequence[str], data: Data) -> list[str]:
    """Draw the metrics with what each needs, and return the groups to be computed."""
    groups = []
    for group, label in GROUPS.items():
        able = abilities(in_group(group), judges, checkable=data.checkable, reference=data.reference)
        possible = any(one.possible for one in able)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"metrics_{group}"):
            if len(GROUPS) == 1:
                st.caption(f"{label}:", width="content")
                groups.append(group)
            elif st.checkbox(
                label,
                value=possible and group in QUICK,
                disabled=not possible,
                # a key of its own while disabled: a box that is empty for want of a document must not stay empty
                key=f"evaluate_group_{group}" if possible else f"evaluate_group_{group}_disabled",
                persist_state="session",
            ):
                groups.append(group)
            for one in able:
                facts = f"{one.metric.formula}. {one.metric.caveat} Undefined: {one.metric.undefined}."
                icon = ":material/check:" if one.possible else ":material/block:"
                st.badge(one.metric.label, icon=icon, color="primary" if one.possible else "gray", help=plain(facts))
        for note in dict.fromkeys(one.note for one in able if one.note and judges):
            if group in QUICK:
                (st.info if possible else st.warning)(note, icon=":material/info:")
            else:
                st.caption(note)
    return groups


def _limits() -> tuple[int, float | None]:
    concurrency = st.number_input(
        "Calls at once", min_value=1, max_value=64, value=4, key="evaluate_concurrency", width=130,
        help="Fewer when the provider answers with rate limits.", persist_state="session",
    )  # fmt: skip
    cap = st.number_input(
        "Spend cap (USD)", min_value=0.0, value=None, step=1.0, key="evaluate_cap", placeholder="none", width=150,
        help="The run stops before a call that could pass it. What is judged is kept.", persist_state="session",
    )  # fmt: skip
    return int(concurrency), float(cap) if cap else None
