"""What was run, on what, by whom, at what cost: the card that makes a number traceable."""

import streamlit as st

from components import cached
from components.shell import View
from components.words import money, plain, seconds
from lemaj_core.errors import LemajError
from lemaj_core.metrics.table import GROUPS
from lemaj_core.store import Progress

PURPOSES = GROUPS | {
    "questions": f"{GROUPS['answer_relevance']} (questions)",
    "context_claims": f"{GROUPS['context_utilization']} (claims)",
}
"""What calls are for, as their schema version begins; the local models' own calls cost nothing and are not named."""


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
        **_shares(view, progress),
        "Time": f"{seconds(progress.seconds)}, started {run.created:%d %b %Y %H:%M} UTC",
        "Versions": plain(", ".join(f"{name} {number}" for name, number in run.versions.items()) or "not recorded"),
    }
    with st.container(border=True, gap="xsmall", key="run_card"):
        st.markdown("**Run card**")
        # Lines, not a table: a table makes the browser load Arrow, which nothing else on the page needs.
        st.markdown("  \n".join(f":gray[{name}]  {value}" for name, value in facts.items()))


def _shares(view: View, progress: Progress) -> dict[str, str]:
    """Cost per judged answer, and for each group of metrics what its calls took; nothing where nothing was asked."""
    if not progress.calls or view.run is None:
        return {}
    found = {}
    answers = progress.done
    if progress.cost and answers:
        found["Per answer"] = plain(f"{money(progress.cost / answers)}, n = {answers:,} judged answers")
    spent = cached.store().spending(view.run.id)
    groups = [one for one in spent if one.purpose in PURPOSES and one.calls]
    said = [
        f"{PURPOSES[one.purpose]} by {one.judge}: {money(one.cost)}, {one.calls:,} calls, "
        f"{one.tokens_in:,} + {one.tokens_out:,} tokens"
        for one in groups
    ]
    if said:
        found["Per metric"] = plain("; ".join(said))
        if table := view.run.versions.get("litellm"):
            found["Prices"] = plain(
                f"from the table in litellm {table}, which the run was made with; raw usage is kept"
            )
    return found
