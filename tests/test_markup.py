"""Marked text stays the text it was, whatever it holds; marks sit where the points are; only markup.py makes markup."""

import ast
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from components import cards
from components.clauses import clause_at
from components.markup import (
    Html,
    Span,
    badge,
    element,
    escape,
    evidence_spans,
    located,
    marked,
    paper,
    passage,
    point_spans,
    segments,
    stylesheet,
    text_block,
)
from components.palette import TAGS
from lemaj_core.analysis.margin import margin
from lemaj_core.metrics.data_points import score_counts
from lemaj_core.types import DataPoint, Evidence, Tag

COMPONENTS = Path(__file__).resolve().parent.parent / "components"
NASTY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>\"'&",
    "&lt;b&gt; &amp;amp; &#x41; &nbsp;",
    "a\r\nb\rc\n\n  d\te",
    "👩‍👩‍👧‍👦 e\u0301 \u202eabc\u202c \u00a0 \ufeff",
    "</div></mark><sup>",
    "<!-- x --> <![CDATA[ y ]]> <?php ?>",
    "{{x}} ${y} **b** [l](javascript:alert(1))",
    "\x00\ud800\x0b\x1b",
]
TEXTS = st.one_of(
    st.text(max_size=80), st.sampled_from(NASTY), st.lists(st.sampled_from(NASTY), max_size=3).map("".join)
)
TAG = st.sampled_from([*Tag, None])
SPANS = st.lists(
    st.builds(Span, st.integers(-3, 90), st.integers(-3, 90), st.integers(1, 5), TAG, st.sampled_from(NASTY)),
    max_size=7,
)


class Reader(HTMLParser):
    """Reads markup as a browser does: tags, attributes and the text that is left."""

    def __init__(self, markup: str):
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, "tags cross"

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl):
        raise AssertionError(f"a declaration: {decl}")

    unknown_decl = handle_decl
    handle_pi = handle_comment

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def sendable(text):
    return re.sub("[\ud800-\udfff\x00]", "\ufffd", text)


@given(TEXTS, SPANS, st.one_of(st.none(), st.integers(1, 5)))
@example("<img src=x onerror=alert(1)>\"'&", [Span(0, 5, 1, Tag.INCORRECT, "<b>")], 1)
def test_marked_text_is_the_text(text, spans, chosen):
    page = Reader(marked(text, spans, chosen=chosen))
    assert page.text == sendable(text)
    assert not page.open
    assert {name for name, _ in page.tags} <= {"mark", "sup"}


@given(TEXTS, SPANS)
def test_there_are_as_many_tags_as_pieces_and_points(text, spans):
    markup = marked(text, spans)
    kept = [span for span in spans if 0 <= span.start < span.end <= len(text)]
    pieces = sum(1 for segment in segments(len(text), spans) if segment.spans)
    points = len({span.number for span in kept})
    assert markup.count("<mark ") == pieces
    assert markup.count("<sup ") == points
    assert markup.count("<") == markup.count(">") == 2 * (pieces + points)  # a start and an end each


@given(st.integers(0, 60), SPANS)
def test_segments_join_to_the_whole_text(length, spans):
    cut = segments(length, spans)
    assert "".join("x" * (piece.end - piece.start) for piece in cut) == "x" * length
    assert all(piece.end == after.start for piece, after in pairwise(cut))
    for span in spans:
        if 0 <= span.start < span.end <= length:
            covered = [piece for piece in cut if span in piece.spans]
            assert (covered[0].start, covered[-1].end) == (span.start, span.end)


def classes(markup):
    return [attributes["class"] for attributes in Reader(markup).named("mark")]


def test_nested_points_show_the_inner_one_and_overlapping_ones_the_worse_one():
    text = "abcdefghij"
    nested = [Span(0, 10, 1, Tag.CORRECT), Span(3, 6, 2, Tag.IRRELEVANT)]
    assert classes(marked(text, nested)) == [
        "lj-mark lj-correct",
        "lj-mark lj-irrelevant lj-shared",
        "lj-mark lj-correct",
    ]
    same_length = [Span(0, 6, 1, Tag.CORRECT), Span(4, 10, 2, Tag.INCORRECT)]
    assert classes(marked(text, same_length))[1] == "lj-mark lj-incorrect lj-shared"
    numbers = [attributes["data-n"] for attributes in Reader(marked(text, same_length)).named("mark")]
    assert numbers == ["1", "2 1", "2"]


def test_the_chosen_point_is_in_front_of_all_others_and_is_where_the_panel_opens():
    text = "abcdefghij"
    spans = [Span(0, 10, 1, Tag.CORRECT), Span(3, 6, 2, Tag.INCORRECT)]
    assert classes(marked(text, spans, chosen=1)) == [
        "lj-mark lj-correct lj-chosen",
        "lj-mark lj-correct lj-shared lj-chosen",
        "lj-mark lj-correct lj-chosen",
    ]
    assert marked(text, spans, chosen=1).count("lj-here") == 1
    assert "lj-here" not in marked(text, spans)


def test_two_quotes_of_one_point_carry_one_badge():
    markup = marked("abcdefghij", [Span(0, 2, 1, Tag.CORRECT), Span(5, 7, 1, Tag.CORRECT)], chosen=1)
    assert (markup.count("<mark "), markup.count("<sup "), markup.count("lj-here")) == (2, 1, 1)


@pytest.mark.parametrize("tag", [*Tag, None])
def test_a_tag_is_never_told_by_colour_alone(tag):
    (attributes,) = Reader(badge(3, tag)).named("sup")
    word = TAGS[tag].word if tag else "not checked"
    icon = TAGS[tag].icon if tag else "○"
    assert attributes["aria-label"] == f"Point 3, {word}. "
    assert attributes["data-badge"] == f"{icon}3"
    (mark,) = Reader(marked("abc", [Span(0, 1, 3, tag, "why")])).named("mark")
    assert mark["title"] == f"{icon} 3 {word}: why"


def test_each_tag_has_its_own_colour_and_underline_in_the_stylesheet():
    css = stylesheet()
    for tag, look in TAGS.items():
        assert f".lj-{tag}{{--c:{look.colour};--u:{look.underline}}}" in css
    assert len({look.underline for look in TAGS.values()}) == len({look.colour for look in TAGS.values()}) == 4
    assert "pre-wrap" in css
    assert css.count("<") == 2  # one style element


def test_points_are_marked_only_where_their_words_stand():
    text = "The rent is 2,000. It is due monthly."
    right = DataPoint("a", "rent", Tag.CORRECT, "why", 0, 18, "The rent is 2,000.")
    shifted = DataPoint("b", "rent", Tag.CORRECT, "", 1, 19, "The rent is 2,000.")
    outside = DataPoint("c", "rent", Tag.CORRECT, "", 30, 99)
    nowhere = DataPoint("d", "rent", Tag.MISSING)
    assert [located(point, text) for point in (right, shifted, outside, nowhere)] == [True, False, False, False]
    assert point_spans([nowhere, right, shifted], text) == [Span(0, 18, 2, Tag.CORRECT, "why")]
    assert point_spans([right], text, {"a": Tag.INCORRECT}) == [Span(0, 18, 1, Tag.INCORRECT, "why")]


def test_evidence_of_another_document_and_quotes_not_found_are_not_marked():
    passages = (Evidence("x", "lease", 2, 5), Evidence("y", "other", 0, 3), Evidence("z"), Evidence("w", None, 0, 1))
    spans = evidence_spans([DataPoint("a", "claim", Tag.CORRECT, evidence=passages)], "0123456789", "lease")
    assert spans == [Span(2, 5, 1, Tag.CORRECT, "claim"), Span(0, 1, 1, Tag.CORRECT, "claim")]


def test_offsets_count_characters_not_bytes_or_utf16():
    text = "👩‍👩‍👧 pays e\u0301 2,000\u00a0EUR"
    start = text.index("2,000")
    page = marked(text, [Span(start, start + 5, 1, Tag.INCORRECT)])
    assert re.search(r"</sup>2,000</mark>", page)


@given(st.integers(0, 3_000), st.integers(1, 50), st.integers(100, 900))
def test_a_long_text_is_cut_around_the_evidence_and_says_what_it_leaves_out(start, length, room):
    text = ("0123456789 " * 7 + "\n") * 40
    start = min(start, len(text) - length)
    low, high = passage(text, (start, start + length), room=room)
    assert low <= start
    assert start + length <= high
    assert high - low <= room
    sheet = paper(text, [Span(start, start + length, 1, Tag.CORRECT)], chosen=1, room=room, label="x")
    shown = Reader(sheet).text
    assert text[low:high] in shown
    left_out = [int(number.replace(",", "")) for number in re.findall(r"… ([\d,]+) characters", shown)]
    assert sum(left_out) == len(text) - (high - low)


def test_a_short_text_is_shown_whole():
    assert passage("abc", None, room=60) == (0, 3)
    assert Reader(paper("a\n b", [], label="x")).text == "a\n b"


@given(TEXTS)
def test_escape_keeps_text_and_is_not_applied_twice(text):
    assert Reader(escape(text)).text == sendable(text)
    assert escape(escape(text)) == escape(text)
    inside = element("p", text, element("b", text), None, attributes={"title": text, "lang": None})
    page = Reader(inside)
    assert page.text == sendable(text) * 2
    assert page.tags == [("p", {"title": sendable(text)}), ("b", {})]


@pytest.mark.parametrize("nasty", NASTY)
def test_no_card_lets_text_become_markup(nasty):
    point = DataPoint(nasty, nasty, Tag.INCORRECT, nasty, evidence=(Evidence(nasty), Evidence(nasty, "d", 0, 3, 0.9)))
    missing = DataPoint(nasty, nasty, Tag.MISSING, nasty)
    decision = cards.decision(margin(1, 1, 0, 0), margin(2, 0, 0, 0), ("1", "0.80"))
    built = [
        cards.row(
            question=nasty, model=nasty, document=nasty, counts={Tag.CORRECT: 2, None: 1},
            scores={"Correctness": (0.5, "scored")}, state=nasty, on=True,
        ),
        cards.question(nasty, [nasty]),
        cards.score_tiles(score_counts(1, 1, 0, 0), score_counts(2, 0, 0, 0), decision),
        cards.heading(nasty, nasty),
        cards.point_row(1, point, Tag.INCORRECT, in_answer=False, clause=nasty),
        cards.point_row(1, missing, Tag.MISSING, in_answer=False, clause=nasty),
        cards.point_open(1, point, Tag.INCORRECT, in_answer=False, clause=nasty),
        cards.still(text_block(nasty, name="small", label=nasty)),
    ]  # fmt: skip
    allowed = {"div", "p", "span", "b", "small", "s", "ins", "h3", "blockquote", "footer"}
    for markup in built:
        page = Reader(markup)
        assert isinstance(markup, Html)
        assert not page.open
        assert {name for name, _ in page.tags} <= allowed
        names = {name for _, attributes in page.tags for name in attributes}
        assert names <= {"class", "title", "dir", "role", "aria-label", "aria-current", "style"}
    assert sendable(nasty) in Reader(built[6]).text


def test_a_missing_point_names_the_clause_and_a_quote_that_is_not_there_is_said():
    missing = DataPoint("m", "Deposit of EUR 5", Tag.MISSING, evidence=(Evidence("deposit", "d", 3, 9, 1.0),))
    assert (
        "left out: 4 Deposit"
        in Reader(cards.point_row(1, missing, Tag.MISSING, in_answer=False, clause="4 Deposit")).text
    )
    invented = DataPoint("i", "claim", Tag.CORRECT, evidence=(Evidence("no such words"),))
    said = Reader(cards.point_open(1, invented, Tag.CORRECT, in_answer=False, clause=None)).text
    assert "Quote not found in the document" in said
    assert "Not in the answer" in said
    passages = (Evidence("words", "d", 0, 5, 1.0), Evidence("wordz", "d", 0, 5, 0.8))
    point = DataPoint("a", "claim", Tag.CORRECT, evidence=passages)
    said = Reader(cards.point_open(1, point, Tag.CORRECT, in_answer=True, clause=None, document="words here")).text
    assert "wordsfound in the document word for word" in said
    assert "wordzfound in the document in nearly these words" in said


def test_only_markup_makes_markup():
    for path in sorted(COMPONENTS.rglob("*.py")):
        calls = [
            node.func.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        assert "Html" not in calls or path.name == "markup.py", path


CONTRACT = """SERVICES AGREEMENT

Basic Information

Date: 1 May 2024

9. FEES AND PAYMENT

9.1 Client shall pay the Fees within thirty days.

(a) Interest runs at one percent.

10. Termination

10.2 Client may terminate for convenience on sixty days' notice. The cap is
10% of the Fees.

Section 11. Law. This Agreement is governed by the law of Oregon.
"""


@pytest.mark.parametrize(
    ("words", "clause"),
    [
        ("1 May", "Basic Information"),
        ("within thirty", "9.1 Fees and Payment"),
        ("Interest runs", "9.1 Fees and Payment"),
        ("sixty days", "10.2 Termination"),
        ("Oregon", "11 Law"),
        ("FEES AND", "9 Fees and Payment"),
    ],
)
def test_a_clause_is_named_as_the_contract_names_it(words, clause):
    assert clause_at(CONTRACT, CONTRACT.index(words)) == clause


def test_a_text_without_numbers_or_headings_names_no_clause():
    assert clause_at("the tenant pays the rent every month, in advance.", 5) is None
