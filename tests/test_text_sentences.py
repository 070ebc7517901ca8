import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lemaj_core.text.lines import is_bare_enumerator, is_heading, is_item
from lemaj_core.text.sentences import split

CONTRACTS = Path(__file__).parent.parent.parent / "shared" / "data" / "upload" / "contracts"
NASTY = st.text(
    st.one_of(
        st.sampled_from("aB. !?;:,()[]1i*#|->\n\r\t\u00a0\u2028\u0301👍👩\u200d⚖\ufe0f“”\x0b\x0c\x1c\x85。"),
        st.characters(),
    ),
    max_size=120,
)


def pieces(text):
    return [text[start:end] for start, end in split(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["See Acme Corp. v. Beta Inc., 123 F.3d 456 (9th Cir. 1999).", "It was under Sec. 2.1(a)(ii) of it."],
        ["See No. 12 and Exh. B.", "The Inc. (“Company A”) is liable."],
        ["Pursuant to Art. 5 and Cl. 7.2, e.g. notice, i.e. in writing.", "See 42 U.S.C. § 1983.", "It ends."],
        ["15 U.S.C. §§ 1 et seq. and 7.", "Smith et al. v. Jones Ltd. settled."],
        ["It is due under section 12.3.1(b)(iv).", "The party must pay 1.5 million."],
        ["He worked at Acme Inc.", "The company paid him.", "He lives in the U.S.", "She does not."],
        ["The answer is no.", "They left.", "The number is no. 5."],
        ["Must they pay?", "Yes!", "“It ended.”", "He left."],
        ["Term ends on Dec. 31, 2020.", "Mr. J. Doe signs for Acme Co. and others."],
        ["It stops a person.[1]", "However, this may vary[4].", "Next.[2][3]", "More."],
        ["They must:", "1. Pay rent.", "2. Keep quiet.", "3. Leave."],
        ["(a) Foo.", "(b) Bar.", "(iv) Baz."],
        ["It is civil.", "Civil.", "It is ill."],
    ],
    ids=lambda sentences: sentences[0][:20],
)
def test_sentences_on_one_line(sentences):
    assert pieces(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "lines",
    [
        ["The clause says", "- pay rent", "* keep quiet", "• leave"],
        ["1. First", "2. Second", "(a) foo;", "(b) bar; and", "(iv) baz", "12.3.1(b)(iv) qux", "4.1 Term"],
        ["# Heading", "Text here goes.", "**Bold heading**", "More text"],
        ["Governing Law", "New York law applies."],
        ["Payment is due in 30 days", "Notice must be written"],
        ["> already public;", "> received from a third party."],
        ["| a | b |", "| 1 | 2 |"],
        ["Section 4. Payment is due.", "ARTICLE IV. It ends."],
    ],
    ids=lambda lines: lines[0][:20],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"], ids=["LF", "CRLF", "blank"])
def test_lines_that_are_boundaries(lines, end):
    assert pieces(end.join(lines)) == lines


def test_wrapped_lines_are_not_boundaries():
    text = (
        "This Agreement was wrapped by hand at about sixty\ncharacters per line, as contracts were, by Acme\n"
        "Corporation and its heirs, and it goes on for a\nwhile. Then it ends."
    )
    assert pieces(text) == [text[:-14], "Then it ends."]


def test_a_bare_number_stands_with_what_follows_and_a_rule_with_what_is_before():
    assert pieces("1.\nFoo bar.\n---\nBaz") == ["1.\nFoo bar.\n---", "Baz"]
    assert pieces("👍") == ["👍"]
    assert pieces("Yes. 👍") == ["Yes. 👍"]
    assert pieces("12.3.1(b)(iv)") == ["12.3.1(b)(iv)"]


def test_full_stops_of_a_list_change_nothing():
    items = ["- The term is two years", "- Notice is thirty days", "- The law is that of Ohio"]
    assert len(pieces("\n".join(items))) == len(pieces("\n".join(f"{item}." for item in items))) == 3


@settings(deadline=None)
@given(NASTY)
def test_spans_hold_everything_that_is_not_white_space(text):
    spans = split(text)
    covered = set()
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        covered.update(range(start, end))
        last = end
    assert all(text[at].isspace() for at in set(range(len(text))) - covered)
    if any(letter.isalnum() for letter in text):
        assert all(any(letter.isalnum() for letter in text[start:end]) for start, end in spans)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["12.3.1(b)(iv)", "§ 4.2", "(a)(ii)", "7.1.", "9(b)"]), min_size=1, max_size=3))
def test_section_numbers_are_never_split(numbers):
    text = f"The Seller relies on {' and '.join(numbers)} of this Agreement. It pays."
    for number in numbers:
        start = text.index(number)
        assert any(left <= start and start + len(number) <= right for left, right in split(text))


@pytest.mark.parametrize("text", ["1.", "(a)", "iv)", "12.3.1(b)(iv)", "**2.**", "Section 4."])
def test_bare_enumerators(text):
    assert is_bare_enumerator(text)


@pytest.mark.parametrize("text", ["civil.", "No.", "mild)", "2020", "Yes", ""])
def test_not_bare_enumerators(text):
    assert not is_bare_enumerator(text)


def test_items_and_headings():
    assert is_item("  (a) foo")
    assert is_item("- foo")
    assert not is_item("a foo")
    assert not is_item("-foo")
    assert is_heading("Governing Law")
    assert not is_heading("Governing law of the")
    assert not is_heading("It ends.")


@pytest.mark.skipif(not CONTRACTS.is_dir(), reason="the shared contracts are not on this machine")
def test_whole_contracts_are_quick():
    for path in CONTRACTS.glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        started = time.process_time()
        spans = split(text)
        # Measured 3 to 16 ms for 7 to 41 thousand characters.
        assert time.process_time() - started < 0.5
        assert len(text) / 400 < len(spans) < len(text) / 80


def test_long_lines_take_no_more_than_linear_time():
    line = "The Seller shall pay under Sec. 4.2(b). They must: 1. Pay. 2. Leave. "
    times = []
    for repeats in (500, 4000):
        started = time.process_time()
        spans = split(line * repeats)
        times.append(time.process_time() - started)
        assert len(spans) == 4 * repeats
    # Eight times the text; copying the rest of the line at every full stop would make it about sixty times.
    assert times[1] < 25 * times[0]
