"""What the pages keep between reruns, all in one place so that tests clear one place.

The store and read-only frames, keyed by run, judge and the version of the run's rows: a frame is read once per change
of the run and shared by all sessions. Frames come back as shallow copies, so a page that adds a column changes its own.
Texts of answers and contracts are not kept: pages fetch the one they show.
"""

import pandas as pd
import streamlit as st

from lemaj_core import settings
from lemaj_core.analysis import specificity as of_specificity
from lemaj_core.analysis import triage
from lemaj_core.analysis.context_utilization import per_proxy
from lemaj_core.analysis.margin import margins
from lemaj_core.store import Store, open_store
from lemaj_core.types import Finding, Run


def store() -> Store:
    """Open the store that the environment names, once per process."""
    return _store(settings.store_url())


@st.cache_resource(max_entries=4, show_spinner=False)
def _store(url: str) -> Store:
    return open_store(url)


def runs() -> list[Run]:
    """All runs, newest first."""
    return store().runs()


def version(run_id: str) -> str:
    """Token that changes whenever rows of the run change; the cache key of its frames."""
    return store().version(run_id)


def answers(run_id: str, judge: str | None, version: str | None = None) -> pd.DataFrame:
    """One row per answer as judged by one judge (every judge: None)."""
    return _answers(settings.store_url(), run_id, judge, version or store().version(run_id)).copy(deep=False)


@st.cache_resource(max_entries=12, show_spinner="Loading answers …")
def _answers(url: str, run_id: str, judge: str | None, version: str) -> pd.DataFrame:
    return store().answers(run_id, judge)


def progress(run_id: str, version: str | None = None):
    """Progress of a run, its calls and its cost."""
    return _progress(settings.store_url(), run_id, version or store().version(run_id))


@st.cache_resource(max_entries=12, show_spinner=False)
def _progress(url: str, run_id: str, version: str):
    return store().progress(run_id)


def findings(run_id: str, item_id: str, judge: str) -> dict[str, list[Finding]]:
    """What was found out about one answer beside its data points, by group of metrics; read anew each time."""
    return store().findings(run_id, item_id, judge)


def run_findings(run_id: str, group: str, judge: str, version: str | None = None) -> list[Finding]:
    """Findings of one group for every answer of a run; shared by all sessions, so never change one."""
    return _run_findings(settings.store_url(), run_id, group, judge, version or store().version(run_id))


@st.cache_resource(max_entries=8, show_spinner="Loading …")
def _run_findings(url: str, run_id: str, group: str, judge: str, version: str) -> list[Finding]:
    return store().run_findings(run_id, group, judge)


def specificity(
    run_id: str, judge: str, version: str, *, all_na: str = "undefined"
) -> tuple[dict[str, float], pd.DataFrame]:
    """Dimensions of a run with their weights, and its answers counted by dimension; counted once per convention."""
    names, table = _specificity(settings.store_url(), run_id, judge, version, all_na)
    return dict(names), table.copy(deep=False)


@st.cache_resource(max_entries=8, show_spinner="Counting votes …")
def _specificity(url: str, run_id: str, judge: str, version: str, all_na: str) -> tuple[dict[str, float], pd.DataFrame]:
    return of_specificity.table(store().each_finding(run_id, "specificity", judge), all_na=all_na)


def utilization(run_id: str, judge: str, version: str) -> pd.DataFrame:
    """Context utilization of a run, one row per answer and proxy; the claims and their effects are not kept."""
    return _utilization(settings.store_url(), run_id, judge, version)


@st.cache_resource(max_entries=8, show_spinner="Loading …")
def _utilization(url: str, run_id: str, judge: str, version: str) -> pd.DataFrame:
    return per_proxy(store().run_findings(run_id, "context_utilization", judge))


def decisions(
    run_id: str, judge: str | None, version: str, *, correctness: str, relevance: str, beta: float = 1.0
) -> pd.DataFrame:
    """Triage decision of every answer: ``cleared``, and ``flips`` until that changes (NaN where no flips can)."""
    return _decisions(settings.store_url(), run_id, judge, version, correctness, relevance, beta)


@st.cache_resource(max_entries=12, show_spinner=False)
def _decisions(
    url: str, run_id: str, judge: str | None, version: str, correctness: str, relevance: str, beta: float
) -> pd.DataFrame:
    frame = answers(run_id, judge, version)
    flips = pd.Series(margins(frame, correctness, relevance, beta=beta), index=frame.index).astype(float)
    return pd.DataFrame({"cleared": triage.cleared(frame, correctness, relevance), "flips": flips}, index=frame.index)


def clear() -> None:
    """Forget everything; for tests and after a run was deleted."""
    for kept in (_store, _answers, _run_findings, _utilization, _specificity, _decisions, _progress):
        kept.clear()
