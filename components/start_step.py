"""Last lines of step 3 of Evaluate: who receives the text, what it will cost, and Start.

Start stores the data set and the run and hands the run to a child process; the page only watches it.
"""

import streamlit as st

from components import cached
from components.amounts import count
from components.estimate import Estimate, estimate
from components.judge_facts import Place, destination, is_local, unset
from components.keys import typed_keys
from components.mapping_step import Data, keep
from components.progress import started
from components.words import money, plain, short
from lemaj_core import jobs, settings
from lemaj_core.errors import LemajError
from lemaj_core.types import RunSettings

_PLAN, _STARTED = "evaluate_plan", "evaluate_started"


def may_be_sent(data: Data, chosen: RunSettings) -> bool:
    """Say who outside receives the text, and ask whether that is allowed; True when nothing stands in the way."""
    models = [judge for judge in chosen.judges if not is_local(judge)]
    targets = {destination(model, chosen.base_url) for model in models}
    outside = sorted(target.receiver for target in targets if target.place is Place.OUTSIDE)
    if not outside:
        return True
    names = plain(", ".join(outside))
    st.warning(
        f"{count(data.answers, 'question')} with answers and document text will be sent to **{names}**. Contracts are "
        "usually confidential: go on only if your client and your agreement with the provider allow it. The offline "
        "judge sends nothing.",
        title="Text leaves this machine",
        icon=":material/outgoing_mail:",
    )
    if data.constructed:
        return True
    return st.checkbox(f"I may send this text to {names}", key=f"evaluate_allowed_{','.join(outside)}")


def run_name(data: Data) -> str:
    """Ask for the name of the run; the name of the data when it is left empty."""
    name = st.text_input(
        "Name of the run", value=short(data.name), max_chars=80, key=f"evaluate_name_{data.key}", width=420
    )
    return name.strip() or data.name


def price(data: Data, chosen: RunSettings) -> Estimate | None:
    """Show calls, tokens and price, and return them; None while they are not worked out for these settings."""
    if all(is_local(judge) for judge in chosen.judges):
        calls = data.answers * len(chosen.judges)
        if calls:
            st.caption(f":material/savings: {count(calls, 'judgement')}, no call to a language model, no cost.")
        return Estimate(calls, 0, 0, 0, 0.0)
    signature, known = st.session_state.get(_PLAN, (None, None))
    if signature != (data, chosen):
        return None
    with st.grid(4, min_column_width=130):
        st.metric(
            "Calls to models", f"{known.calls:,}", help=f"{known.cached:,} of them are in the ledger and cost nothing."
        )
        st.metric("Tokens in", f"{known.tokens_in:,}")
        st.metric("Tokens out, about", f"{known.tokens_out:,}")
        st.metric("Price, about", "unknown" if known.cost is None else plain(money(known.cost)))
    if known.unpriced:
        st.caption(
            f":material/help: Price unknown for {plain(', '.join(known.unpriced))}; the spend cap cannot count it."
        )
    return known


def start_button(data: Data, chosen: RunSettings, name: str, *, allowed: bool, priced: bool) -> str | None:
    """Draw Start and return the id of the run that was just started, if it was pressed."""
    why = obstacle(chosen, allowed=allowed, priced=priced)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        count_first = chosen.judges and not priced
        if count_first and st.button(
            "Work out calls and price", key="plan", type="primary", icon=":material/calculate:"
        ):
            _count(data, chosen)
        pressed = st.button(
            "Start",
            key="start",
            # what was just started is not what should be pressed next
            type="secondary" if why or st.session_state.get(_STARTED) == (data, chosen) else "primary",
            icon=":material/play_arrow:",
            disabled=why is not None,
        )
        if said := why or keyless(chosen):
            st.caption(said, width="content")
    return _begin(data, chosen, name) if pressed else None


def keyless(chosen: RunSettings) -> str | None:
    """Warn of models for which no key is known; they may have other credentials, so this does not stop the start."""
    models = [] if chosen.base_url else [judge for judge in chosen.judges if unset(judge)]
    models = [model for model in models if not typed_keys([model])]
    if not models:
        return None
    return f":material/key_off: No key is known for {plain(', '.join(models))}: its calls will probably fail."


def obstacle(chosen: RunSettings, *, allowed: bool, priced: bool) -> str | None:
    """Return what must be done before the start, or None."""
    if not chosen.judges:
        return "Choose a judge."
    if not chosen.metrics:
        return "Choose a metric."
    if not allowed:
        return "Confirm that the text may be sent."
    return None if priced else "Work out the price first; no model is asked for that."


def _count(data: Data, chosen: RunSettings) -> None:
    try:
        with st.spinner("Counting calls and tokens; no model is asked …", show_time=True):
            st.session_state[_PLAN] = ((data, chosen), estimate(keep(data), chosen))
    except LemajError as error:
        st.error(plain(error), title="The price could not be worked out", icon=":material/error:")
        return
    st.rerun()


def _begin(data: Data, chosen: RunSettings, name: str) -> str | None:
    try:
        with st.spinner("Storing the data and starting …"):
            run_id = cached.store().create_run(keep(data), chosen, name=name)
            pid = jobs.start(run_id, store_url=settings.store_url(), keys=typed_keys(chosen.judges))
    except LemajError as error:
        st.error(plain(error), title="The run could not be started", icon=":material/error:")
        return None
    started(run_id, pid)
    st.session_state[_STARTED] = (data, chosen)
    return run_id
