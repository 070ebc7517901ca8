"""A click on marked words chooses their data point.

Streamlit has no element that tells which words of a text were clicked, so this one component, without any look of its
own, listens for clicks on marks and reports the number of the point. It receives no text and builds no markup; every
point can also be chosen by its button below the answer.
"""

from collections.abc import Callable

import streamlit as st

KEY = "lj_clicks"
LISTEN = """
export default function (component) {
  const { parentElement, setTriggerValue } = component
  const listen = (event) => {
    const mark = event.target.closest?.(".st-key-lj_reading mark[data-n]")
    if (!mark || String(window.getSelection())) return
    const numbers = mark.dataset.n.split(" ").map(Number)
    const front = numbers[0]
    const next = [...numbers].sort((a, b) => a - b)
    const chosen = mark.classList.contains("lj-chosen")
    const pick = chosen ? (next.find((n) => n > front) ?? next[0]) : front
    if (!chosen || pick !== front) setTriggerValue("picked", pick)
  }
  if (parentElement.listen) document.removeEventListener("click", parentElement.listen)
  parentElement.listen = listen
  document.addEventListener("click", listen)
  return () => document.removeEventListener("click", listen)
}
"""

_component = st.components.v2.component("lemaj_mark_clicks", js=LISTEN)


def watch_marks(choose: Callable[[int], None]) -> None:
    """Call ``choose`` with the number of the point whose words were clicked, before the page is drawn again."""

    def picked() -> None:
        number = st.session_state[KEY].picked
        if isinstance(number, (int, float)):
            choose(int(number))

    with st.container(key="lj_clicks_box"):
        _component(key=KEY, on_picked_change=picked)
