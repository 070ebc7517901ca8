"""What the Prompts page needs: the wordings there are, who was asked with which, and two of them against experts.

Reads the store through the cache. A text is shown as text only; nothing here asks a model.
"""

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from components import cached
from components.words import number, plain
from lemaj_core.analysis.agreement import SCORES, ScoreAgreement, against_experts
from lemaj_core.errors import LemajError
from lemaj_core.metrics.table import METRICS
from lemaj_core.text import wording
from lemaj_core.text.wording import Wording
from lemaj_core.types import Run

_KEPT = "kept_prompt"
_USED = re.compile(r"data_points/\d+\+(?P<version>[0-9a-f]{12})")


class Version(NamedTuple):
    """A wording with its version and what is known of it; ``label`` names it in a list."""

    version: str
    label: str
    words: Wording


class Asked(NamedTuple):
    """A judge of a run with the version of the prompt that its scores came from."""

    run: Run
    judge: str
    version: str

    @property
    def label(self) -> str:
        """How it is named in a list."""
        return f"{self.version} · {self.judge} · {self.run.name} ({self.run.id})"


def versions() -> list[Version]:
    """The product's own wording first, then every other that was kept, the newest first."""
    own = wording.builtin()
    found = [Version(wording.version(own), f"{wording.version(own)} · the product's own", own)]
    for kept in cached.store().prompts():
        if kept.version != found[0].version:
            label = " · ".join(filter(None, [kept.version, f"{kept.created:%d %b %Y %H:%M}", kept.note]))
            found.append(Version(kept.version, label, kept.words))
    return found


def asked(runs: Sequence[Run]) -> list[Asked]:
    """Every judge of these runs that was asked with a prompt, with its version as the run recorded it."""
    found = []
    for run in runs:
        for judge in run.settings.judges:
            used = _USED.match(run.versions.get(f"judge {judge}", ""))
            if used:
                found.append(Asked(run, judge, used["version"]))
    return found


def places_of(version: str, places: Sequence[Asked]) -> str:
    """Say in which runs a version was asked, escaped."""
    used = [one for one in places if one.version == version]
    if not used:
        return "No run was asked with it yet."
    named = "; ".join(f"{one.run.name} ({one.run.id}) by {one.judge}" for one in used[:6])
    return f"Asked in {len(used):,} places: {plain(named)}"


def editor(version: str, words: Wording) -> None:
    """Draw a copy to be edited and the button that keeps it under the hash of its words."""
    st.caption(
        "\\$checking, \\$strictness and \\$omissions are slots for the rules that depend on the run; any other dollar "
        "sign is written twice. The copy is kept under the hash of its words; the original stays as it is."
    )
    text = st.text_area("Text", words[wording.MAIN], height=420, key=f"text_{version}", label_visibility="collapsed")
    note = st.text_input("What is different", key=f"note_{version}", max_chars=120)
    if st.button("Keep as a new version", type="primary", icon=":material/save:", key="keep_prompt"):
        try:
            st.session_state[_KEPT] = cached.store().keep_prompt(wording.edited(text, words), " ".join(note.split()))
        except LemajError as error:
            st.session_state.pop(_KEPT, None)
            st.error(plain(error), title="This prompt could not be sent")
    if kept := st.session_state.get(_KEPT):
        st.success("Write it behind the name of a model, on the Evaluate page or after --judge:", title="Kept")
        st.code(f"openai/gpt-4o#{kept}", language=None)


def difference(one: str, other: str) -> str:
    """Lines that differ, with a few around them; empty where the texts are equal."""
    lines = difflib.unified_diff(one.splitlines(), other.splitlines(), "first", "second", lineterm="", n=1)
    return "\n".join(lines)


def against(one: Asked, other: Asked) -> tuple[pd.DataFrame, int]:
    """Lay two versions beside an expert, over the answers that both have scored and an expert too.

    Returns
    -------
    pandas.DataFrame
        One row per score and version: Pearson r with its interval, the share in the expert's bucket, the mean
        difference from the expert, and n.
    int
        Answers that both judged.
    """
    frames = [cached.answers(asked.run.id, asked.judge) for asked in (one, other)]
    rows = []
    both = set.intersection(*(set(frame.loc[frame["status"].eq("scored"), "item_id"]) for frame in frames))
    for score in SCORES:
        same = set.intersection(*(set(frame.loc[frame[f"{score}_status"].eq("scored"), "item_id"]) for frame in frames))
        for asked_, frame in zip((one, other), frames, strict=True):
            found = against_experts(frame[frame["item_id"].isin(same)].reset_index(drop=True), score)
            rows.append({"score": METRICS[score].label, "prompt": asked_.version, **_words(found)})
    return pd.DataFrame(rows), len(both)


def _words(found: ScoreAgreement) -> dict[str, str]:
    r = found.pearson
    between = "" if r.low is None else f" [{number(r.low)}, {number(r.high)}]"
    return {
        "Pearson r": f"{number(r.value)}{between}" if r.value is not None else f"undefined: {r.reason}",
        "same bucket": number(found.accuracy.value),
        "judge − expert": number(found.bias.mean),
        "n": f"{found.n:,}",
    }
