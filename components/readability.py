"""What the Readability page needs beside the scores: the counts of each answer, and its longest sentences.

Reads findings and texts; computes no score and draws no figure.
"""

import pandas as pd
import streamlit as st

from components import cached
from components.words import number, plain, short
from lemaj_core.metrics.readability import fkgl_band, fre_band

COUNTS = ("words", "sentences", "syllables")


def with_counts(answers: pd.DataFrame, run_id: str, judge: str, version: str) -> pd.DataFrame:
    """Add the counts of words, sentences and syllables to each answer; 0 where it was not counted."""
    found = {one.item_id: one.detail for one in cached.run_findings(run_id, "readability", judge, version)}
    columns = {name: [int(found.get(item_id, {}).get(name) or 0) for item_id in answers["item_id"]] for name in COUNTS}
    return answers.assign(**columns)


def undefined_table(answers: pd.DataFrame) -> pd.DataFrame:
    """List the texts that have no score, each with the reason."""
    left = answers[answers["fre_status"].isin(("undefined", "failed"))]
    table = pd.DataFrame({"why": left["fre_reason"].astype(str), "question": left["question"], "model": left["model"]})
    return table.reset_index(drop=True)


def sentences_of(run_id: str, judge: str, dataset_id: str, row: pd.Series) -> None:
    """Show one answer's scores with their bands and its longest sentences, word by word as they stand."""
    item_id = str(row["item_id"])
    detail = next(iter(cached.findings(run_id, item_id, judge).get("readability", [])), None)
    item = cached.store().items(dataset_id, [item_id]).get(item_id)
    if detail is None or item is None:
        st.info("This answer has not been counted yet.", icon=":material/hourglass_top:")
        return
    if row["fre_status"] == "scored":
        st.markdown(
            f"**Reading ease {number(row['fre'], 1)}** ({fre_band(row['fre'])}) · **grade {number(row['fkgl'], 1)}** "
            f"({fkgl_band(row['fkgl'])})"
        )
    else:
        st.markdown(f"**Undefined**: {plain(row['fre_reason'])}")
    counts = detail.detail
    st.caption(f"{counts['words']:,} words · {counts['sentences']:,} sentences · {counts['syllables']:,} syllables")
    st.caption("Longest sentences")
    for start, end in counts.get("longest", []):
        text = item.answer[start:end]
        st.markdown(f"- {plain(short(text, 600))} :gray-badge[{len(text.split())} words]")


def choose(answers: pd.DataFrame, key: str) -> pd.Series | None:
    """Let the reader choose one answer, hardest to read first; None where there is none."""
    ordered = answers.sort_values("fkgl", ascending=False, na_position="last").head(200)
    if ordered.empty:
        return None
    shown = {
        row["item_id"]: f"grade {number(row['fkgl'], 1)} · {short(row['question'], 80)} · {short(row['model'], 24)}"
        for row in ordered.to_dict("records")
    }
    chosen = st.selectbox(
        "Answer, hardest to read first", list(shown), format_func=lambda name: shown.get(name, name), key=key
    )
    return None if chosen is None else ordered[ordered["item_id"] == chosen].iloc[0]
