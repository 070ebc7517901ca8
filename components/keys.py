"""Keys of language models: looked for in the environment by name, or typed for this session. Never written anywhere.

A typed key lives in the memory of this session only. It reaches the process that evaluates through its environment,
never through a command line, a file, the store or a log.
"""

from collections.abc import Iterable

import streamlit as st

from components.judge_facts import unset, variables
from components.words import plain
from lemaj_core.types import juror

_KEYS = "evaluate_keys"


def typed_keys(models: Iterable[str]) -> dict[str, str]:
    """Return the keys that were typed in this session for these models."""
    known = st.session_state.get(_KEYS, {})
    names = dict.fromkeys(juror(model).model for model in models)
    return {model: known[model] for model in names if known.get(model)}


def key_field(model: str, *, place: str) -> None:
    """Say which variable a model expects and whether it is set, and offer a field for a key of this session.

    Parameters
    ----------
    model : str
        Name of the model.
    place : str
        Where the field stands; two places on a page need two names.
    """
    wanted = variables(model)
    if wanted == ():
        st.caption(":material/key_off: No key needed.")
        return
    known = bool(typed_keys([model]))
    if wanted is None:
        found = "The name does not tell the provider; write it as provider/model, or type the key."
    else:
        absent = unset(model)
        names = ", ".join(f"`{name}`" for name in (absent or wanted))
        found = f"{names} {'not found' if absent else 'found'} in the environment of the app."
    st.caption(f":material/key: {found}")
    key = f"key_{place}_{model}"
    st.text_input(
        f"Key for {plain(model)}",
        type="password",
        key=key,
        placeholder="typed in this session" if known else "only if the environment has none",
        help="Kept in the memory of this session, never stored. Empty: the environment's key is used.",
        on_change=_typed,
        args=(key, juror(model).model),
        autocomplete="off",
        width=420,
    )


def _typed(key: str, model: str) -> None:
    value = st.session_state.get(key, "").strip()
    kept = dict(st.session_state.get(_KEYS, {}))
    if value:
        kept[model] = value
    else:
        kept.pop(model, None)
    st.session_state[_KEYS] = kept
