"""Tags that a reader changes to see what would happen: scores, bucket and decision follow, nothing is saved.

Changed tags live in the session, per run, judge and answer, and are forgotten with the tab.
"""

import streamlit as st

from components.palette import badge_text
from lemaj_core.types import DataPoint, Tag

STATE = "lj_flips"
Where = tuple[str, str, str]


def flips(where: Where) -> dict[str, Tag]:
    """Tags that the reader changed in this answer, by point id; ``where`` is run, judge and answer."""
    return dict(st.session_state.get(STATE, {}).get(where, {}))


def control(where: Where, number: int, point: DataPoint, current: Tag | None) -> None:
    """Offer the four tags for one point; the judge's own tag is said beside it once it was changed."""
    key = f"lj_flip_{number}"
    st.session_state[key] = current
    with st.container(gap="xxsmall", key="lj_flip_box"):
        st.segmented_control(
            "What if it were …",
            list(Tag),
            format_func=badge_text,
            key=key,
            required=point.tag is not None,
            on_change=_flip,
            args=(where, key, point),
            help="Try another tag: the scores and the decision above follow. Nothing is saved.",
        )
        if current is not point.tag:
            st.caption(f"The judge said: {badge_text(point.tag)}")


def _flip(where: Where, key: str, point: DataPoint) -> None:
    chosen = st.session_state[key]
    changed = flips(where)
    if chosen is None or chosen == point.tag:
        changed.pop(point.id, None)
    else:
        changed[point.id] = Tag(chosen)
    st.session_state[STATE] = st.session_state.get(STATE, {}) | {where: changed}


def reset(where: Where) -> None:
    """Give every point the judge's tag again; used as a callback."""
    st.session_state[STATE] = {key: value for key, value in st.session_state.get(STATE, {}).items() if key != where}


def notice(where: Where) -> None:
    """Say that tags are changed, and offer the way back."""
    changed = len(flips(where))
    if changed:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lj_changed"):
            st.badge(
                f"{changed} tag{'' if changed == 1 else 's'} changed by you, not saved",
                icon=":material/edit:",
                color="blue",
            )
            st.button(
                "Reset",
                icon=":material/undo:",
                key="lj_reset",
                type="tertiary",
                on_click=reset,
                args=(where,),
                shortcut="U",
            )
