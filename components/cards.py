"""The cards of the Answers page as HTML: a row of the list, the scores, a data point, a passage quoted.

Made only of ``components.markup``'s escaped elements, so that no text of an answer, a contract or a judge can become
markup. Pure functions from records to markup: no Streamlit, no store, and scores come in ready-made.
"""

from collections.abc import Mapping, Sequence

from components.markup import Html, element, tag_class, text_block
from components.palette import TAGS, UNTAGGED, style
from components.words import number, score, short
from lemaj_core.analysis.margin import Margin
from lemaj_core.metrics.data_points import DataPointScores, bucket
from lemaj_core.metrics.table import METRICS
from lemaj_core.types import DataPoint, Evidence, Score, Status, Tag

CLEARED = "✓ Cleared"
FLAGGED = "⚑ Flagged for review"
NOT_FOUND = "Quote not found in the document"
NOT_IN_ANSWER = "Not in the answer"


def _classed(tag: str, classes: str, *children: object, **attributes: object) -> Html:
    named = {key.replace("_", "-"): value for key, value in attributes.items()}
    return element(tag, *children, attributes={"class": classes, **named})


def tag_bar(counts: Mapping[Tag | None, int]) -> Html:
    """Stacked bar of one answer's tags, each piece with its sign and number; said in words for screen readers."""
    present = {tag: counts[tag] for tag in (*Tag, None) if counts.get(tag)}
    said = ", ".join(f"{count} {style(tag).word}" for tag, count in present.items()) or "no data points"
    pieces = [
        _classed("span", tag_class(tag), f"{style(tag).icon}{count}", style=f"flex:{count}")
        for tag, count in present.items()
    ]
    return _classed("div", "lj-bar", *pieces, role="img", aria_label=said, title=said)


def row(
    *,
    question: str,
    model: str | None,
    document: str | None,
    counts: Mapping[Tag | None, int],
    scores: Mapping[str, tuple[float | None, str | None]],
    state: str,
    on: bool,
) -> Html:
    """One answer in the list; ``scores`` are label to value and status, ``state`` its decision in words."""
    figures = " · ".join(
        f"{label} {number(value) if status == Status.SCORED else status or '—'}"
        for label, (value, status) in scores.items()
    )
    return _classed(
        "div",
        "lj-row lj-on" if on else "lj-row",
        _classed("p", "lj-q", short(question, 160), dir="auto", title=short(question, 400)),
        _classed("p", "lj-m", " · ".join(part for part in (model, document) if part)),
        tag_bar(counts) if any(counts.values()) else None,
        _classed("div", "lj-f", element("span", figures) if figures else None, element("span", state)),
        aria_current="true" if on else None,
    )


def question(text: str, facts: Sequence[str]) -> Html:
    """The question and the facts of its answer (model, document, experts' scores)."""
    return element(
        "div",
        _classed("p", "lj-question", text, dir="auto"),
        _classed("p", "lj-meta", *(element("span", fact) for fact in facts)),
    )


def score_tiles(scores: DataPointScores, changed: DataPointScores | None, decision: Html) -> Html:
    """The four scores of an answer with the sums they come from; changed ones beside the judge's own."""
    tiles = [
        _tile(METRICS[key].label, key, getattr(scores, key), getattr(changed, key) if changed else None)
        for key in DataPointScores._fields
    ]
    return _classed("div", "lj-scores", decision, *tiles)


def _tile(label: str, key: str, old: Score, new: Score | None) -> Html:
    now = old if new is None else new
    metric = METRICS[key]
    moved = new is not None and _shown(new) != _shown(old)
    shown = [element("s", _shown(old)), " → ", element("ins", _shown(now))] if moved else [_shown(now)]
    value = element("b", *shown, attributes={"class": None if now.status is Status.SCORED else "lj-word"})
    before, step = bucket(old), bucket(now)
    below = [_sum(now)] + ([f"bucket {step:.2f}"] if step is not None else [])
    if before is not None and step is not None and before != step:
        below[-1] += f" (was {before:.2f})"
    return _classed(
        "div",
        "lj-tile",
        element("small", label),
        value,
        element("small", " · ".join(part for part in below if part)),
        title=f"{label} = {metric.formula}. {metric.caveat}",
    )


def _shown(value: Score) -> str:
    return number(value.value) if value.status is Status.SCORED else str(value.status)


def _sum(value: Score) -> str:
    if value.status is not Status.SCORED:
        return value.reason or ""
    return f"{value.numerator:g} / {value.denominator:g}"


def decision(now: Margin | None, before: Margin | None, thresholds: tuple[str, str], why: str | None = None) -> Html:
    """The triage decision, how many flips it is away from the other one, and the thresholds it is measured by."""
    changed = now is not None and before is not None and now.cleared != before.cleared
    words = CLEARED if now is not None and now.cleared else FLAGGED
    was = (
        _classed("span", "lj-was", f" was {'cleared' if before.cleared else 'flagged'}") if changed and before else None
    )
    sentence = why or (now.sentence if now is not None else "")
    rule = f"Needs Correctness {thresholds[0]}, Relevance {thresholds[1]}"
    return _classed(
        "div",
        "lj-tile lj-decision lj-changed" if changed else "lj-tile lj-decision",
        element("small", "Decision"),
        _classed("b", "lj-word", words, was),
        element("small", sentence),
        element("small", rule),
    )


def legend(tags: Sequence[Tag | None]) -> Html:
    """What the underlines mean, for the tags that occur."""
    looks = [(tag, TAGS[tag] if tag else UNTAGGED) for tag in tags]
    return _classed(
        "div", "lj-legend", *(_classed("span", tag_class(tag), look.word, data_sign=look.icon) for tag, look in looks)
    )


def heading(title: str, *notes: str | Html | None) -> Html:
    """Small heading with facts at its right."""
    return _classed(
        "div",
        "lj-head",
        element("h3", title),
        element("small", *(element("span", note) for note in notes if note)),
    )


def point_row(
    number_: int, point: DataPoint, tag: Tag | None, *, in_answer: bool, clause: str | None, on: bool = False
) -> Html:
    """One data point in the list below the answer: sign, number, claim; what is odd about it in a note."""
    return _classed(
        "div",
        f"lj-point {tag_class(tag)}{' lj-on' if on else ''}",
        _sign(number_, tag),
        _claim(point, tag, in_answer, clause),
        aria_current="true" if on else None,
    )


def _sign(number_: int, tag: Tag | None) -> Html:
    look = style(tag)
    return _classed("span", "lj-sign", f"{look.icon} {number_}", title=look.word)


def _claim(point: DataPoint, tag: Tag | None, in_answer: bool, clause: str | None) -> Html:
    side: list[str | Html] = [element("b", style(tag).word)]
    if tag is Tag.MISSING and clause:
        side += [", left out: ", element("b", clause)]
    elif clause:
        side += [", see ", element("b", clause)]
    notes = []
    if point.tag is not Tag.MISSING and not in_answer:
        notes.append(_classed("span", "lj-warn", NOT_IN_ANSWER))
    if point.evidence and not any(piece.found for piece in point.evidence):
        notes.append(_classed("span", "lj-warn", NOT_FOUND))
    return element(
        "div",
        _classed("p", "lj-claim", point.text, dir="auto"),
        _classed("p", "lj-side", *side, " ", *notes),
    )


def point_open(
    number_: int,
    point: DataPoint,
    tag: Tag | None,
    *,
    in_answer: bool,
    clause: str | None,
    document: str | None = None,
) -> Html:
    """The chosen data point: claim, reason, confidence, and the words of the contract (``document`` is its text)."""
    look = style(tag)
    what = f"{look.icon} {number_}"
    reason = point.reason or "The judge gave no reason."
    sure = "" if point.confidence is None else f", confidence {point.confidence:.2f}"
    odd = []
    if point.tag is not Tag.MISSING and not in_answer:
        odd.append(
            _classed(
                "p", "lj-side", _classed("span", "lj-warn", NOT_IN_ANSWER), " The judge claims to read this there."
            )
        )
    return _classed(
        "div",
        f"lj-point lj-open {tag_class(tag)}",
        _classed("span", "lj-sign", what, title=look.word),
        element(
            "div",
            _classed("p", "lj-claim", point.text, dir="auto"),
            _classed("p", "lj-side", element("b", look.word), _where(tag, clause), sure),
            element("p", reason),
            *odd,
            *(quote(piece, document) for piece in point.evidence),
        ),
    )


def _where(tag: Tag | None, clause: str | None) -> str:
    if not clause:
        return ""
    return f": the answer left out {clause}" if tag is Tag.MISSING else f" by {clause}"


def quote(piece: Evidence, document: str | None = None) -> Html:
    """A passage that the judge points at, with whether these very words stand in the document."""
    said: str | Html
    if not piece.found:
        said = _classed("span", "lj-warn", NOT_FOUND)
    elif document is not None and document[piece.start : piece.end] == piece.quote:
        said = "found in the document word for word"
    else:
        said = "found in the document in nearly these words"
    return _classed("blockquote", "lj-quote", text_block(piece.quote, name="small"), element("footer", said))


def still(inside: Html) -> Html:
    """Text whose marks are there to be read, not to be clicked."""
    return _classed("div", "lj-still", inside)


def score_words(value: Score) -> str:
    """A score, or why there is none, in words."""
    return score(value.value, value.status, value.reason)
