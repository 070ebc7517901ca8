"""What the Agreement page needs beside the frames of a run: label sets, points by answer, who the expert is.

Reads the store through the cache; computes no statistic and draws no figure.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from components import cached
from components.words import number, plain, short
from lemaj_core import settings
from lemaj_core.analysis import tag_agreement
from lemaj_core.analysis.agreement import ScoreAgreement
from lemaj_core.analysis.expert_agreement import scored_by
from lemaj_core.metrics.agreement import Correlation
from lemaj_core.metrics.published import ROWS
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import Annotation, DataPoint

__all__ = [
    "UPLOADED",
    "behind",
    "cases",
    "in_a_table",
    "labels",
    "points_by_answer",
    "scored_by",
]

UPLOADED = "scores of the file, else the first label set"


def labels(dataset_id: str, version: str) -> list[Annotation]:
    """Every label set of a data set; shared by all sessions, so never change one. ``version`` is a run's."""
    return _labels(settings.store_url(), dataset_id, version)


@st.cache_resource(max_entries=4, show_spinner="Loading labels …")
def _labels(url: str, dataset_id: str, version: str) -> list[Annotation]:
    return cached.store().annotations(dataset_id)


def points_by_answer(run_id: str, judge: str, version: str) -> dict[str, list[DataPoint]]:
    """The judge's points of every answer."""
    return _points(settings.store_url(), run_id, judge, version)


@st.cache_resource(max_entries=4, show_spinner="Loading data points …")
def _points(url: str, run_id: str, judge: str, version: str) -> dict[str, list[DataPoint]]:
    return tag_agreement.points_by_answer(cached.store().points(run_id, judge))


def in_a_table(
    rows: Sequence[ScoreAgreement], baselines: Mapping[str, Mapping[str, Correlation]] | None = None
) -> pd.DataFrame:
    """Write the figures of this run above the published rows, as LeMAJ's tables 2 and 3 do."""
    table = []
    for row in rows:
        label = METRICS[row.score].label
        r, low, high = row.pearson, row.pearson.low, row.pearson.high
        between = "—" if low is None else f"[{number(low)}, {number(high)}]"
        accuracy = "—" if row.accuracy.value is None else number(row.accuracy.value)
        p = "—" if r.p is None else f"{r.p:.2g}"
        table.append((label, "this judge", number(r.value, 3), between, p, accuracy, f"{row.n:,}"))
        guess = number(row.commonest.value)
        table.append((label, "always the commonest bucket", "—", "—", "—", guess, f"{row.n:,}"))
        for key, found in (baselines or {}).get(row.score, {}).items():
            between = "—" if found.low is None else f"[{number(found.low)}, {number(found.high)}]"
            p = "—" if found.p is None else f"{found.p:.2g}"
            table.append((label, METRICS[key].label, number(found.value, 3), between, p, "—", f"{found.n:,}"))
        for one in (one for one in ROWS if one.score == row.score):
            r_both = f"{number(one.r_own, 3)} | {number(one.r_legalbench, 3)}"
            both = f"{number(one.accuracy_own)} | {number(one.accuracy_legalbench)}"
            table.append((label, f"{one.method} (published: own contracts | LegalBench)", r_both, "—", "—", both, "—"))
    names = ["score", "method", "Pearson r", "95 % interval", "p", "bucketed accuracy", "n"]
    return pd.DataFrame(table, columns=names)


def behind(compared: pd.DataFrame, expert: str, judge: str, absent: str) -> pd.DataFrame:
    """Rows of a cell of the tag table."""
    has_expert = compared["expert_tag"].fillna(absent) == expert
    return compared[has_expert & (compared["judge_tag"].fillna(absent) == judge)]


def cases(rows: pd.DataFrame, questions: dict[str, str], most: int = 30) -> None:
    """List points that both see otherwise, each with what either said; text of unknown origin is escaped."""
    if rows.empty:
        st.caption("No such point.")
        return
    st.caption(
        f"{len(rows):,} points in {rows['item_id'].nunique():,} answers" + (", the first 30" * (len(rows) > most))
    )
    for place, row in enumerate(rows.head(most).to_dict("records")):
        with st.container(border=True, gap="xsmall", key=f"case_{place}"):
            st.caption(plain(short(questions.get(row["item_id"], row["item_id"]), 110)))
            for who in ("expert", "judge"):
                if isinstance(row[f"{who}_text"], str):
                    reason = row[f"{who}_reason"]
                    why = f" — {plain(short(reason, 200))}" if isinstance(reason, str) and reason else ""
                    st.markdown(f"**{who}: {row[f'{who}_tag']}** {plain(short(row[f'{who}_text'], 240))}{why}")
                else:
                    st.markdown(f"**{who}**: has no such point")
            if st.button("Open the answer", key=f"case_open_{place}", type="tertiary", icon=":material/arrow_forward:"):
                from components.shell import open_page

                open_page("pages/answers.py", answer=str(row["item_id"]))
