"""Keys that tag: c, i, r and m, which Streamlit's buttons cannot have because c and r are its own menu's.

Listens for the four keys outside of fields and reports which was pressed; Streamlit's own use of c and r rests on the
page that draws this. Every tag can also be given by its button.
"""

from collections.abc import Callable

import streamlit as st

from lemaj_core.types import Tag

KEY = "lj_tag_keys"
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
    setTriggerValue("pressed", key)
  }
  if (parentElement.listen) window.removeEventListener("keydown", parentElement.listen, true)
  parentElement.listen = listen
  window.addEventListener("keydown", listen, true)
  return () => window.removeEventListener("keydown", listen, true)
}
"""

_component = st.components.v2.component("lemaj_tag_keys", js=LISTEN)


def watch_keys(tag: Callable[[Tag], None]) -> None:
    """Call ``tag`` with the tag whose key was pressed, before the page is drawn again."""

    def pressed() -> None:
        found = TAGS.get(str(st.session_state[KEY].pressed))
        if found is not None:
            tag(found)

    with st.container(key="lj_tag_keys_box"):
        _component(key=KEY, on_pressed_change=pressed)
