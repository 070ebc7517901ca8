"""Settings of SCORE's metrics in step 3 of Evaluate: dimensions, votes, proxies, and columns with new answers.

Only the settings that the chosen groups of metrics use are drawn. Starts nothing and asks no model.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.specificity import PRESETS
from lemaj_core.options import with_words
from lemaj_core.types import RunSettings

WITH_DIMENSIONS = ("specificity", "answer_relevance")
OWN = "own"
NONE = "none"
ALL_NA = {"undefined": "undefined", "zero": "0, as in the paper"}
MODES = {"exact": "exact", "fast": "fast (approximate)"}
PARAPHRASE, PERTURBATION = "paraphrase_answer", "perturbed_answer"
HELP = {
    "preset": "Which dimensions a claim can be specific in, and what masking hides from an answer: hazard, location, "
    "timeline, intensity (SCORE) or parties, clauses, dates, amounts, jurisdiction.",
    "votes": "How often each claim is judged; the majority counts. The offline judges are always three.",
    "models": "Several models instead of several calls to one.",
    "all_na": "What an answer gets whose claims state none of the dimensions.",
    "proxies": "Language models that say how likely the answer is; the first gives the scores. packaged is a small one "
    "that runs here; others by name or path, if this machine has them.",
    "mode": "Exact scores every claim in a pass of its own. Fast hides claims from the answer's attention: several "
    "times sooner, close but not equal, and labelled wherever it shows.",
    "columns": "Columns of your file that hold the answers to a paraphrased and to a perturbed question.",
}


def score_step(settings: RunSettings, columns: Sequence[str], remote: bool) -> RunSettings:
    """Draw what the chosen groups need beyond the judges, and return the settings with it.

    Parameters
    ----------
    settings : RunSettings
        Whose ``metrics`` choose what is drawn.
    columns : sequence of str
        Columns of the data that mean nothing else; one may hold answers to changed questions.
    remote : bool
        Whether a language model is among the judges.
    """
    groups = set(settings.metrics)
    with st.container(horizontal=True, vertical_alignment="top", gap="medium", key="score_settings"):
        if groups & set(WITH_DIMENSIONS):
            settings = _dimensions(settings)
        if "specificity" in groups:
            settings = _votes(settings, remote)
        if "context_utilization" in groups:
            settings = _proxies(settings)
        if "robustness" in groups:
            settings = _columns(settings, columns)
    if settings.preset == OWN:
        settings = _own(settings)
    return settings


def _dimensions(settings: RunSettings) -> RunSettings:
    preset = st.segmented_control(
        "Dimensions", [*PRESETS, OWN], default=settings.preset, required=True, key="evaluate_preset",
        help=HELP["preset"], persist_state="session",
    )  # fmt: skip
    return replace(settings, preset=str(preset))


def _own(settings: RunSettings) -> RunSettings:
    """Let the user name dimensions with weights; a table that says nothing leaves the preset of contracts."""
    st.caption("Your own dimensions, each with its weight. Add a row for each.")
    start = pd.DataFrame({"dimension": ["party", "date"], "weight": [0.5, 0.5]})
    table = st.data_editor(start, num_rows="dynamic", hide_index=True, width=420, key="evaluate_dimensions")
    words = ",".join(
        f"{str(name).replace(',', ' ')}:{weight}"
        for name, weight in zip(table["dimension"], table["weight"], strict=True)
        if isinstance(name, str) and name.strip() and pd.notna(weight)
    )
    try:
        return with_words(replace(settings, preset="legal"), [f"dimensions={words}"] if words else ["preset=own"])
    except SettingsError as error:
        st.warning(f"{error}. Until then the legal dimensions are used.", icon=":material/rule:")
        return replace(settings, preset="legal")


def _votes(settings: RunSettings, remote: bool) -> RunSettings:
    if remote:
        votes = st.number_input(
            "Judges per claim (k)", 1, 25, 3, 2, key="evaluate_votes", width=150, help=HELP["votes"],
            persist_state="session",
        )  # fmt: skip
        models = st.multiselect(
            "or k models", list(settings.judges), accept_new_options=True, key="evaluate_vote_models", width=260,
            help=HELP["models"], placeholder="none", persist_state="session",
        )  # fmt: skip
        settings = replace(settings, votes=int(votes), vote_models=_names(models))
    all_na = st.segmented_control(
        "Nothing specific at all counts as", list(ALL_NA), default=settings.all_na, format_func=ALL_NA.__getitem__,
        required=True, key="evaluate_all_na", help=HELP["all_na"], persist_state="session",
    )  # fmt: skip
    return replace(settings, all_na=str(all_na))


def _proxies(settings: RunSettings) -> RunSettings:
    proxies = st.multiselect(
        "Proxy models", list(settings.proxies), default=list(settings.proxies), accept_new_options=True,
        key="evaluate_proxies", width=260, help=HELP["proxies"], persist_state="session",
    )  # fmt: skip
    mode = st.segmented_control(
        "Claim dropout", list(MODES), default=settings.cu_mode, format_func=MODES.__getitem__, required=True,
        key="evaluate_cu_mode", help=HELP["mode"], persist_state="session",
    )  # fmt: skip
    return replace(settings, proxies=_names(proxies) or settings.proxies, cu_mode=str(mode))


def _columns(settings: RunSettings, columns: Sequence[str]) -> RunSettings:
    options = [NONE, *columns]
    chosen = []
    for label, key, usual in (
        ("Answers to a paraphrase", "evaluate_paraphrase", PARAPHRASE),
        ("Answers to a perturbation", "evaluate_perturbation", PERTURBATION),
    ):
        name = st.selectbox(
            label, options, index=options.index(usual) if usual in options else 0, key=key, width=210,
            help=HELP["columns"],
        )  # fmt: skip
        chosen.append(None if name == NONE else name)
    return replace(settings, paraphrase_column=chosen[0], perturbation_column=chosen[1])


def _names(values: Collection[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.strip() for value in values if value.strip()))
