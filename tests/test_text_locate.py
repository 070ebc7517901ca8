import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from lemaj_core.text import normalise
from lemaj_core.text.folding import fold
from lemaj_core.text.locate import Match, locate

CONTRACTS = Path(__file__).parent.parent.parent / "shared" / "data" / "upload" / "contracts"
CLAUSE = "7.2 The Seller shall indemnify the Buyer “in full” – within thirty (30) days.\nNothing else is due."
# Characters that moved offsets elsewhere: emoji, joined emoji, NBSP, CRLF, combining marks, ligatures, dotted I.
NASTY = st.text(
    st.sampled_from("ab Zß\u0130\u00a0\r\n\u0301👍👩\u200d⚖\ufe0f“”'\"–-…._*[1]\u00ad\ufb01\u200b\t7"),
    max_size=60,
)


def found(quote, text, **options):
    match = locate(quote, text, **options)
    return None if match is None else text[match.start : match.end]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        pytest.param("indemnify the Buyer", "indemnify the Buyer", id="exact"),
        pytest.param("THE SELLER  SHALL", "The Seller shall", id="case-and-spaces"),
        pytest.param('the Buyer "in full" - within', "the Buyer “in full” – within", id="quotes-and-dashes"),
        pytest.param("days. Nothing else", "days.\nNothing else", id="line-end"),
        pytest.param("“shall indemnify the Buyer”", "shall indemnify the Buyer", id="quoted-quote"),
        pytest.param("shall indemnify the Buyer;", "shall indemnify the Buyer", id="other-punctuation"),
        pytest.param("The Seller ... within thirty (30) days", CLAUSE[4:76], id="ellipsis"),
        pytest.param("[…] indemnify [...] Nothing else", CLAUSE[21:90], id="bracketed-ellipses"),
        pytest.param("... indemnify the Buyer ...", "indemnify the Buyer", id="outer-ellipses"),
        pytest.param("The Seler shall indemnify the Buyr", "The Seller shall indemnify the Buyer", id="typing-errors"),
        pytest.param("Seller shall fully indemnify the Buyer", "Seller shall indemnify the Buyer", id="a-word-more"),
    ],
)
def test_a_quote_is_found_as_a_reader_would_find_it(quote, expected):
    assert found(quote, CLAUSE) == expected


@pytest.mark.parametrize("quote", ["", "  \n", "Nothing else ... The Seller", "the licence is perpetual", "...", "“”"])
def test_what_is_not_there_is_not_found(quote):
    assert locate(quote, CLAUSE) is None


def test_exactness_and_similarity_are_told_apart():
    assert locate("Seller", CLAUSE) == Match(8, 14, 1.0, True)
    assert locate("seller", CLAUSE) == Match(8, 14, 1.0, False)
    alike = locate("The Sellar shall indemnify the Buyer", CLAUSE)
    # One letter of 36 on either side differs: 2 * 35 / 72.
    assert alike is not None
    assert alike.similarity == pytest.approx(70 / 72)
    assert not alike.exact


def test_least_decides_how_much_may_differ():
    quote = "The Seller shall reimburse the Buyer"
    assert locate(quote, CLAUSE, least=0.95) is None
    assert found(quote, CLAUSE, least=0.7) == "The Seller shall indemnify the Buyer"


def test_of_several_places_the_nearest_wins_and_whole_words_come_first():
    text = "notice: no fee. Later: no fee. And No Fee."
    assert locate("no", text).start == 8
    assert locate("no fee", text, near=25).start == 23
    assert locate("NO FEE", text, near=42).start == 35
    assert locate("otic", text) == Match(1, 5, 1.0, True)


def test_parts_far_apart_show_only_the_longest():
    text = "The Seller is Acme. " + "Filler text stands here. " * 400 + "The price is one hundred dollars."
    assert found("The Seller ... price is one hundred", text) == "price is one hundred"


def test_a_quote_longer_than_the_text():
    assert found("The whole text, and a word", "The whole text, and a") == "The whole text, and a"
    assert locate("Something else altogether, and longer", "Short.") is None


def test_markdown_and_footnote_marks_do_not_hide_a_quote():
    text = "According to Wikipedia[1], **the slayer rule** stops a person\u200b inheriting."
    assert found("according to wikipedia, the slayer rule stops a person inheriting", text) == text[:-1]


@settings(deadline=None)
@given(st.data())
def test_every_slice_is_located_where_it_reads_the_same(data):
    text = data.draw(NASTY)
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    match = locate(quote, text, near=start)
    if not quote.strip():
        assert match is None
    else:
        assert match is not None
        assert match.exact
        assert text[match.start : match.end] == quote


@settings(deadline=None)
@given(NASTY, NASTY)
def test_any_answer_is_a_span_inside_the_text(quote, text):
    match = locate(quote, text, least=0.5)
    if match is not None:
        assert 0 <= match.start < match.end <= len(text)
        assert 0.5 <= match.similarity <= 1
        assert match.exact == (text[match.start : match.end] in (quote, quote.strip()))


@settings(deadline=None)
@given(NASTY)
def test_folded_offsets_lead_back(text):
    folded = fold(text)
    for start in range(len(folded.text)):
        outer = folded.original(start, len(folded.text))
        assert 0 <= outer[0] < outer[1] <= len(text)
        letter = text[slice(*folded.original(start, start + 1))]
        if letter.isascii() and letter.isalpha():
            assert folded.text[start] == letter.lower()


@settings(deadline=None)
@given(NASTY)
def test_normalising_is_done_once_and_for_all(text):
    once = normalise(text)
    assert normalise(once) == once == unicodedata.normalize("NFC", once)
    assert "\r" not in once


def test_normalise_composes_across_what_it_removes():
    assert normalise("e\x00\u0301\ud800\r\n\r") == "é\n\n"


@pytest.mark.skipif(not CONTRACTS.is_dir(), reason="the shared contracts are not on this machine")
def test_quotes_in_whole_contracts_are_found():
    longest = max((path.read_text(encoding="utf-8") for path in CONTRACTS.glob("*.txt")), key=len)
    for start in range(100, len(longest) - 400, 3000):
        words = longest[start : start + 300].split()[1:-1]
        broken = " ".join(word for index, word in enumerate(words) if index % 15 != 7).upper()
        match = locate(broken, longest)
        assert match is not None
        assert abs(match.start - start) < 60
        assert fuzz.ratio(broken.lower(), longest[match.start : match.end].lower()) > 80


VERBS = "deliver repair insure label audit store ship return test sell lease pledge weigh clean pack".split()
THINGS = (
    "machines vessels samples licences drawings reports vehicles pumps pallets records patents pipes tools seeds "
    "cables engines sensors boilers bridges cranes ladders lenses motors panels printers radios scales tanks "
    "towers valves"
).split()


def test_a_quote_is_found_quickly_in_a_long_contract():
    clauses = [
        f"The Seller shall {verb} all {thing} within thirty days of a written notice by the Buyer. "
        for thing in THINGS
        for verb in VERBS
    ]
    text = "".join(clauses)
    assert len(text) > 38_000
    locate("warm up the folded text", text)
    started = time.process_time()
    for at in range(7, 450, 23):
        match = locate(clauses[at].replace("thirty", "30").replace("a written", "written"), text)
        assert match is not None
        # The clauses differ in one or two words: the best of the alike is wanted, not the first.
        assert text[match.start : match.end] == clauses[at].strip()
        assert not match.exact
    # Measured 4 ms each; a search that walks the contract in Python would take seconds.
    assert (time.process_time() - started) / 20 < 0.1


def test_of_equally_alike_passages_the_nearest_wins():
    clause = "The Seller shall deliver the goods within thirty days. "
    text = clause + "Something else is said here. " * 20 + clause
    quote = clause.replace("thirty", "thirtey").strip()
    assert locate(quote, text).start == 0
    assert locate(quote, text, near=len(text)).start == len(text) - len(clause)
