"""Keys that tag: c, i, r and m, which Streamlit's buttons cannot have because c and r are its own menu's.

Listens for the four keys outside of fields and reports which was pressed; Streamlit's own use of c and r rests on the
page that draws this. Keys that come faster than the page are sent together, in their order, because a later message
may overtake an earlier one. Every tag can also be given by its button.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from lemaj_core.types import Tag

KEY, LAST = "lj_tag_keys", "lj_tag_keys_last"
TAGS = {"c": Tag.CORRECT, "i": Tag.INCORRECT, "r": Tag.IRRELEVANT, "m": Tag.MISSING}
LISTEN = """
export default function (component) {
  const { parentElement, setTriggerValue } = component
  const listen = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return
    const field = event.target.closest?.("input, textarea, select, [contenteditable=true], [role=combobox]")
    const key = event.key.toLowerCase()
    if (field || !"cirm".includes(key) || key.length !== 1) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const before = window.lemajPresses ?? []
    const at = Math.max(Date.now(), (before.at(-1)?.at ?? 0) + 1)
    window.lemajPresses = [...before, { at, key }].slice(-40)
    setTriggerValue("pressed", window.lemajPresses)
  }
  if (parentElement.listen) window.removeEventListener("keydown", parentElement.listen, true)
  parentElement.listen = listen
  window.addEventListener("keydown", listen, true)
  return () => window.removeEventListener("keydown", listen, true)
}
"""

_component = st.components.v2.component("lemaj_tag_keys", js=LISTEN)


def fresh(presses: Any, last: float) -> list[dict[str, Any]]:
    """Give the presses that were not seen yet; whatever is no press is left out."""
    known = presses if isinstance(presses, list) else []
    right = [press for press in known if isinstance(press, dict) and press.get("key") in TAGS]
    return [press for press in right if isinstance(press.get("at"), int | float) and press["at"] > last]


def watch_keys(tag: Callable[[Tag], None]) -> None:
    """Call ``tag`` with the tag of each key that was pressed, before the page is drawn again."""

    def pressed() -> None:
        for press in fresh(st.session_state[KEY].pressed, st.session_state.get(LAST, 0)):
            st.session_state[LAST] = press["at"]
            tag(TAGS[press["key"]])

    with st.container(key="lj_tag_keys_box"):
        _component(key=KEY, on_pressed_change=pressed)
