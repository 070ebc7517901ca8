"""Readability: the published formulas on counted words, legal citations and lists, and what is undefined."""

import pytest

from lemaj_core.metrics.readability import fkgl_band, fre_band, readability
from lemaj_core.types import Status

PLAIN = (
    "The tenant must pay the rent on the first day of each month. If the tenant does not pay on time, the landlord "
    "may send a notice. The tenant then has ten days to pay what is due."
)
ITEMS = (
    "pay the monthly rent on the first business day of each calendar month",
    "keep the premises in good repair and promptly notify the landlord of any damage",
    "maintain liability insurance with a reputable insurer throughout the term",
    "return the keys and leave the premises clean at the end of the term",
)


def test_equals_the_formulas_on_its_own_counts():
    found = readability(PLAIN)
    assert (found.sentences, found.words) == (3, 38)  # 13 + 14 + 11 words
    length, weight = found.words / found.sentences, found.syllables / found.words
    assert found.fre.value == pytest.approx(206.835 - 1.015 * length - 84.6 * weight, abs=1e-12)
    assert found.fkgl.value == pytest.approx(0.39 * length + 11.8 * weight - 15.59, abs=1e-12)
    assert found.fre_band == fre_band(found.fre.value)
    assert found.fkgl_band == fkgl_band(found.fkgl.value)


def test_bullets_with_and_without_full_stops_read_the_same():
    head = "Under the lease the tenant has to do four things:\n"
    bare = readability(head + "\n".join(f"- {item}" for item in ITEMS))
    stopped = readability(head + "\n".join(f"- {item}." for item in ITEMS))
    assert bare.fkgl.value == pytest.approx(stopped.fkgl.value, abs=1.0)
    assert bare.sentences == stopped.sentences == 5


def test_a_citation_is_two_sentences():
    text = (
        "See Acme Corp. v. Beta Inc., 123 F.3d 456 (9th Cir. 1999). "
        "The court affirmed under Sec. 2.1(a)(ii) of the U.S. Code."
    )
    assert readability(text).sentences == 2


def test_enumerators_and_section_numbers_are_no_words():
    numbered = "1. " + PLAIN.replace("the rent", "the rent under 12.3.1(b)(iv)") + " [1]"
    assert readability(numbered).words == readability(PLAIN.replace("the rent", "the rent under")).words


@pytest.mark.parametrize(
    "text", ["", "   ", "Yes.", "12.3.1(b)(iv)", "The tenant pays rent.", "合同应在三十天内履行。"]
)
def test_short_texts_are_undefined_with_the_count(text):
    found = readability(text)
    assert found.fre.status is found.fkgl.status is Status.UNDEFINED
    assert "too short" in found.fre.reason
    assert found.fre_band is None


def test_other_languages_are_undefined():
    german = (
        "Der Mieter hat die Miete spätestens am ersten Werktag eines jeden Monats zu zahlen. Zahlt der Mieter nicht "
        "rechtzeitig, so kann der Vermieter ihn mahnen und nach Ablauf einer angemessenen Frist den Vertrag kündigen."
    )
    assert "not English" in readability(german).fre.reason


@pytest.mark.parametrize(
    ("value", "band"),
    [(121, "very easy"), (90, "very easy"), (89.9, "easy"), (60, "plain English"), (30, "difficult (college)"),
     (29.9, "very difficult"), (-200, "very difficult")],
)  # fmt: skip
def test_fre_bands(value, band):
    assert fre_band(value) == band


@pytest.mark.parametrize(
    ("grade", "band"),
    [(-3, "elementary school"), (5, "middle school"), (9, "high school"), (12, "undergraduate"), (16, "graduate")],
)
def test_fkgl_bands(grade, band):
    assert fkgl_band(grade) == band
