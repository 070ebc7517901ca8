"""What was run, on what, by whom, at what cost: the card that makes a number traceable."""

import streamlit as st

from components import cached
from components.shell import View
from components.words import money, plain, seconds
from lemaj_core.errors import LemajError


def run_card(view: View, version: str) -> None:
    """Show the facts of a run as a list: data, judges, settings, calls, cost, time and versions."""
    run = view.run
    if run is None:
        return
    try:
        progress = cached.progress(run.id, version)
    except LemajError as error:
        st.error(str(error), title="The run's ledger cannot be read")
        return
    settings = run.settings
    calls = f"{progress.calls:,} calls, {progress.cached:,} from the cache"
    facts = {
        "Run": f"{plain(run.name)} ({run.id}), {run.state}",
        "Data": f"{plain(run.dataset_name)}, SHA-256 {run.dataset_id}…",
        "Judges": plain(", ".join(settings.judges)),
        "Strictness": f"{settings.strictness}; weight of Recall b = {settings.beta:g}; "
        f"reference answers {'used' if settings.use_reference else 'not used'}",
        "Asked": calls + (f", {progress.tokens_in:,} + {progress.tokens_out:,} tokens" if progress.tokens_in else ""),
        "Cost": plain(money(progress.cost, progress.unpriced)),
        "Time": f"{seconds(progress.seconds)}, started {run.created:%d %b %Y %H:%M} UTC",
        "Versions": plain(", ".join(f"{name} {number}" for name, number in run.versions.items()) or "not recorded"),
    }
    with st.container(border=True, gap="xsmall", key="run_card"):
        st.markdown("**Run card**")
        # Lines, not a table: a table makes the browser load Arrow, which nothing else on the page needs.
        st.markdown("  \n".join(f":gray[{name}]  {value}" for name, value in facts.items()))
