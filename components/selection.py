"""Words that a reader selected with the mouse or keys in a text of the page, with their place.

Streamlit has no element that tells what was selected, so this component without a look reports the selected words of a
block and how many characters stand before them. The page checks both against its own text; nothing from here is
believed or drawn as markup.
"""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

KEY = "lj_selection"
LISTEN = """
export default function (component) {
  const { parentElement, setTriggerValue } = component
  let last = ""
  const listen = () => {
    const chosen = window.getSelection()
    if (!chosen || chosen.isCollapsed || !chosen.rangeCount) { last = ""; return }
    const range = chosen.getRangeAt(0)
    const inside = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(".st-key-lj_reading .lj-text")
    const block = inside(range.startContainer)
    if (!block || block !== inside(range.endContainer)) return
    const before = document.createRange()
    before.selectNodeContents(block)
    before.setEnd(range.startContainer, range.startOffset)
    const quote = range.toString()
    const at = [...before.toString()].length
    const where = block.classList.contains("lj-contract") ? "document" : "answer"
    const now = where + at + quote
    if (!quote.trim() || now === last) return
    last = now
    setTriggerValue("selected", { where, at, quote })
  }
  for (const name of ["mouseup", "keyup"]) {
    if (parentElement[name]) document.removeEventListener(name, parentElement[name])
    parentElement[name] = listen
    document.addEventListener(name, listen)
  }
  return () => ["mouseup", "keyup"].forEach((name) => document.removeEventListener(name, listen))
}
"""

_component = st.components.v2.component("lemaj_selection", js=LISTEN)


class Selection(NamedTuple):
    """Selected words: in the "answer" or the "document", and how many shown characters stand before them."""

    where: str
    at: int
    quote: str


def watch_selection(choose: Callable[[Selection], None]) -> None:
    """Call ``choose`` with what was selected, before the page is drawn again."""

    def selected() -> None:
        found = st.session_state[KEY].selected
        if isinstance(found, dict) and isinstance(found.get("quote"), str):
            choose(Selection(str(found.get("where")), int(found.get("at") or 0), found["quote"]))

    with st.container(key="lj_selection_box"):
        _component(key=KEY, on_selected_change=selected)


def place(found: Selection, text: str, shift: int = 0) -> tuple[int, int] | None:
    """Where the selected words stand in the text, without blanks around them; None if they do not stand there.

    ``shift`` is how many characters of the text stand before the part that is shown.
    """
    quote = found.quote.strip()
    if not quote:
        return None
    lead = len(found.quote) - len(found.quote.lstrip())
    start = found.at + lead + shift
    if text[start : start + len(quote)] != quote:
        spots = [at for at in range(len(text)) if text.startswith(quote, at)] if quote in text else []
        if not spots:
            return None
        start = min(spots, key=lambda at: abs(at - start))
    return start, start + len(quote)
