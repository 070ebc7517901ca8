"""Tagging by click or key: the answer with its data points in place, the chosen point, the scales and the note.

Every control saves through ``components.annotate``; text of unknown origin goes through ``components.markup``.
"""

from dataclasses import replace

import streamlit as st

from components import cached, cards
from components.annotate import Desk, save, save_points
from components.markup import element, located, marked, point_spans, tag_class, text_block
from components.palette import style
from components.selection import Selection, place
from components.tag_keys import TAGS
from lemaj_core.analysis import labelling
from lemaj_core.store import Label
from lemaj_core.types import DataPoint, Tag

LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
SCALES = {"correctness": "Correctness", "relevance": "Relevance"}
CHOSEN = "lj_annotate_point"


def chosen(desk: Desk) -> int:
    """Number of the point that keys act on, from 1: the one chosen, else the first without a tag; 0 without points."""
    return _chosen(desk.label.points)


def _chosen(points: labelling.Points) -> int:
    ids = [point.id for point in points]
    if st.session_state.get(CHOSEN) in ids:
        return ids.index(st.session_state[CHOSEN]) + 1
    waiting = [number for number, point in enumerate(points, start=1) if point.tag is None]
    return waiting[0] if waiting else len(points[:1])


def choose(desk: Desk, number: int) -> None:
    """Choose a point by its number; used as a callback."""
    points = desk.label.points
    if 1 <= number <= len(points):
        st.session_state[CHOSEN] = points[number - 1].id


def answer(desk: Desk, number: int) -> None:
    """Draw the answer as written, with the annotator's data points marked in place."""
    spans = point_spans(desk.label.points, desk.item.answer)
    tags = [tag for tag in Tag if any(span.tag is tag for span in spans)]
    st.html(cards.heading("Answer", cards.legend(tags) if tags else None))
    st.html(text_block(marked(desk.item.answer, spans, chosen=number), name="answer", label="Answer"))


def control(desk: Desk, number: int) -> None:
    """Draw the chosen point with everything that can be done to it."""
    points = desk.label.points
    if not number:
        st.info("No data point yet: select words of the answer, or add a missing point.", icon=":material/ink_pen:")
    else:
        point = points[number - 1]
        with st.container(border=True, key="lj_chosen_point", gap="small"):
            st.html(_row(desk, number, point, bold=True))
            with st.container(horizontal=True, gap="xsmall", key="lj_flip_box"):
                for key, tag in TAGS.items():
                    look = style(tag)
                    st.button(
                        f"{look.icon} {look.word}",
                        key=f"lj_tag_{tag}",
                        help=f"Key {key}",
                        type="primary" if point.tag is tag else "secondary",
                        disabled=not desk.open,
                        on_click=_tag,
                        args=(desk, point.id, tag),
                    )
            _evidence(desk, point)
            _change(desk, number, point)
    with st.container(horizontal=True, gap="xsmall", key="lj_moves"):
        _move(desk, "Up", ":material/arrow_upward:", number - 1)
        _move(desk, "Down", ":material/arrow_downward:", number + 1)
        _add(desk)


def _move(desk: Desk, key: str, icon: str, number: int) -> None:
    st.button(
        "Point" if key == "Up" else "Point ",
        key=f"lj_move_{key}",
        icon=icon,
        shortcut=key,
        disabled=not 1 <= number <= len(desk.label.points),
        on_click=choose,
        args=(desk, number),
    )


def _tag(desk: Desk, point_id: str, tag: Tag) -> None:
    """Tag the point and go on to the next one without a tag."""
    label = save_points(desk, lambda points: labelling.tagged(points, point_id, tag))
    if label is not None:
        ids = [point.id for point in label.points]
        at = ids.index(point_id) if point_id in ids else 0
        waiting = [point.id for point in label.points[at:] + label.points[:at] if point.tag is None]
        st.session_state[CHOSEN] = waiting[0] if waiting else point_id


def tag_chosen(desk: Desk, tag: Tag) -> None:
    """Tag the chosen point by key. Keys may be quicker than the page: the stored state says which it is."""
    label = cached.store().label(desk.run.dataset_id, desk.item.id, desk.label.annotator) or desk.label
    number = _chosen(label.points)
    if number and label.finished is None:
        _tag(desk, label.points[number - 1].id, tag)


def _change(desk: Desk, number: int, point: DataPoint) -> None:
    with st.container(horizontal=True, gap="xsmall", key="lj_cuts"):
        with st.popover("Edit, split", icon=":material/content_cut:", disabled=not desk.open, type="tertiary"):
            key = f"lj_words_{desk.where}_{point.id}"
            st.text_area("One data point per line", point.text, key=key, width=420)
            st.caption("A new line splits the point. Changed words lose their tag.")
            st.button("Save words", key="lj_reword", on_click=_reword, args=(desk, point.id, key))
        st.button(
            "Join with next",
            key="lj_join",
            icon=":material/merge:",
            shortcut="J",
            type="tertiary",
            disabled=not desk.open or number >= len(desk.label.points),
            on_click=_join,
            args=(desk, point.id),
        )
        st.button(
            "Remove",
            key="lj_remove",
            icon=":material/delete:",
            type="tertiary",
            disabled=not desk.open,
            on_click=_remove,
            args=(desk, point.id),
        )


def _reword(desk: Desk, point_id: str, key: str) -> None:
    lines = st.session_state[key].splitlines()
    save_points(desk, lambda points: labelling.reworded(points, point_id, lines))


def _remove(desk: Desk, point_id: str) -> None:
    save_points(desk, lambda points: labelling.removed(points, point_id))


def _join(desk: Desk, point_id: str) -> None:
    save_points(desk, lambda points: labelling.joined(points, point_id, desk.item.answer))
    st.session_state.pop(CHOSEN, None)


def _add(desk: Desk) -> None:
    with st.popover("Add a missing point", icon=":material/add:", disabled=not desk.open, type="tertiary"):
        key = f"lj_missing_{desk.where}_{len(desk.label.points)}"
        st.text_area("What should the answer have said?", key=key, width=420)
        st.button("Add as missing", key="lj_add_missing", on_click=_missing, args=(desk, key))


def _missing(desk: Desk, key: str) -> None:
    text = st.session_state.get(key, "").strip()
    if text:
        label = save_points(desk, lambda points: labelling.added(points, text, Tag.MISSING))
        st.session_state[CHOSEN] = label.points[-1].id if label else None


def add_selected(desk: Desk, found: Selection) -> None:
    """Make a data point of selected words of the answer; used as a callback."""
    span = place(found, desk.item.answer)
    if span is not None:
        words = desk.item.answer[slice(*span)]
        save_points(desk, lambda points: labelling.added(points, words, None, span))


def _evidence(desk: Desk, point: DataPoint) -> None:
    text = desk.document.text if desk.document else None
    for number, piece in enumerate(point.evidence):
        with st.container(horizontal=True, vertical_alignment="center", key=f"lj_linked_{number}"):
            st.html(cards.quote(piece, text), width="stretch")
            st.button(
                "Unlink",
                key=f"lj_unlink_{number}",
                icon=":material/link_off:",
                type="tertiary",
                disabled=not desk.open,
                on_click=_unlink,
                args=(desk, point.id, number),
            )


def _unlink(desk: Desk, point_id: str, number: int) -> None:
    save_points(desk, lambda points: labelling.unlinked(points, point_id, number))


def listed(desk: Desk, number: int) -> None:
    """Draw all points one by one; a click chooses one. After commitment the judge's missing points follow."""
    points = desk.label.points
    waiting = labelling.untagged(points)
    st.html(cards.heading("Legal Data Points", f"{len(points)}", f"{waiting} without a tag" if waiting else None))
    with st.container(gap=None):
        for n, point in enumerate(points, start=1):
            with st.container(key=f"lj_card_point_{n}", gap=None):
                st.html(_row(desk, n, point, on=n == number))
                if n != number:
                    st.button(
                        f"Choose data point {n}",
                        key=f"lj_open_point_{n}",
                        on_click=choose,
                        args=(desk, n),
                        width="stretch",
                    )
    if desk.label.committed is not None:
        for point in desk.judged:
            if point.tag is Tag.MISSING:
                st.html(element("p", f"Judge: missing — {point.text}", attributes={"class": "lj-side"}))


def _row(desk: Desk, number: int, point: DataPoint, *, on: bool = False, bold: bool = False):
    look = style(point.tag)
    word = "no tag yet" if point.tag is None else look.word
    linked = len(point.evidence)
    side = [word, f"{linked} passage{'s' * (linked > 1)} linked" if linked else ""]
    if point.tag is not Tag.MISSING and not located(point, desk.item.answer):
        side.append("not in these words in the answer")
    if desk.label.committed is not None:
        theirs = next((one for one in desk.judged if one.id == point.id), None)
        side.append(f"judge: {style(theirs.tag).word}" if theirs else "judge: no such point")
    classes = f"lj-point {tag_class(point.tag)}{' lj-on' if on else ''}{' lj-open' if bold else ''}"
    return element(
        "div",
        element("span", f"{look.icon} {number}", attributes={"class": "lj-sign"}),
        element(
            "div",
            element("p", point.text, attributes={"class": "lj-claim", "dir": "auto"}),
            element("p", " · ".join(part for part in side if part), attributes={"class": "lj-side"}),
        ),
        attributes={"class": classes, "aria-current": "true" if on else None},
    )


def scales(desk: Desk) -> None:
    """Draw both scales and the note; nothing is chosen before the annotator chooses."""
    st.html(cards.heading("The answer as a whole", "optional; without them the tags give the scores"))
    with st.container(horizontal=True, gap="medium"):
        for name, title in SCALES.items():
            key = f"lj_scale_{name}_{desk.where}"
            st.session_state[key] = getattr(desk.label, name)
            st.segmented_control(
                title,
                LEVELS,
                key=key,
                format_func=lambda level: f"{level:g}",
                disabled=not desk.open,
                on_change=_scale,
                args=(desk, name, key),
            )
    key = f"lj_note_{desk.where}"
    st.session_state[key] = desk.label.note
    st.text_area("Note", key=key, disabled=not desk.open, on_change=_scale, args=(desk, "note", key), height=80)


def _scale(desk: Desk, name: str, key: str) -> None:
    value = st.session_state[key]

    def change(label: Label) -> Label:
        return replace(label, **{name: value})

    save(desk, change)
