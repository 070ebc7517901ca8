"""The small readers of the offline judge: numbers, dates, facts, words, parties, statements. No model."""

from fractions import Fraction

import pytest

from lemaj_core.judge.local_check import bare
from lemaj_core.judge.local_clauses import agent, clause
from lemaj_core.judge.local_dates import Day, dates
from lemaj_core.judge.local_facts import facts
from lemaj_core.judge.local_numbers import numbers
from lemaj_core.judge.local_opposites import opposite
from lemaj_core.judge.local_parties import EVERYBODY, parties
from lemaj_core.judge.local_points import statements
from lemaj_core.judge.local_question import is_yes_no
from lemaj_core.judge.local_words import read, stem


@pytest.mark.parametrize(
    ("text", "value", "other"),
    [
        ("30", 30, None),
        ("1,250,000", 1250000, None),
        ("thirty (30)", 30, None),
        ("30 (thirty)", 30, None),
        ("thirty (60)", 30, 60),
        ("twenty-one", 21, None),
        ("one hundred and five", 105, None),
        ("seven hundred fifty thousand", 750000, None),
        ("two point five", Fraction(5, 2), None),
        ("2.5 million", 2500000, None),
        ("5k", 5000, None),
    ],
)
def test_numbers_are_read_in_words_and_figures(text, value, other):
    (number,) = numbers(text)
    assert (number.value, number.other) == (value, other)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 8 May 2014", Day(2014, 5, 8)),
        ("May 8, 2014", Day(2014, 5, 8)),
        ("this 8th day of May, 2014", Day(2014, 5, 8)),
        ("2014-05-08", Day(2014, 5, 8)),
        ("5/20/2014", Day(2014, 5, 20)),
        ("5/8/2014", Day(2014, 5, 8, True)),
        ("Sept. 2020", Day(2020, 9, None)),
        ("by 30 June of each year", Day(None, 6, 30)),
        ("in 2026, at the latest", Day(2026, None, None)),
    ],
)
def test_dates_are_read_whole_or_in_part(text, day):
    assert [found for found, _, _ in dates(text)] == [day]


def test_what_only_looks_like_a_date_is_none():
    assert list(dates("Landlord may 5 times enter; 2,014 units; No. 2014/15; suite 2014A")) == []


def test_a_date_in_figures_fits_both_readings():
    assert Day(2014, 5, 8, True).fits(Day(2014, 8, 5))
    assert not Day(2014, 5, 20).fits(Day(2014, 5, 21))
    assert Day(2014, 5, 20).fits(Day(2014, None, None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pay $5,000", [("amount", "5000", "$")]),
        ("EUR 800 or 5,000 euros", [("amount", "800", "eur"), ("amount", "5000", "eur")]),
        ("ten percent (10%) of the Fees", [("percentage", "10", "")]),
        ("250 basis points", [("percentage", "5/2", "")]),
        ("a 30-day period", [("period", "30", "day")]),
        ("ten (10) business days", [("period", "10", "business day")]),
        ("within a year", [("period", "1", "year")]),
        ("thirty days a year", [("period", "30", "day")]),
        ("on the second anniversary", [("period", "2", "year")]),
        ("thirty (60) days", [("period", "30", "day"), ("period", "60", "day")]),
        ("ten percent (25%)", [("percentage", "10", ""), ("percentage", "25", "")]),
        ("two percentage points (2.00%)", [("percentage", "2", "")]),
        ("five hundred dollars ($750)", [("amount", "750", "$"), ("amount", "500", "$")]),
        ("Sections 2 and 5", [("section", "2", "section"), ("section", "5", "section")]),
        ("Section 14(a) and Exhibit B", [("section", "14(a)", "section"), ("section", "b", "attachment")]),
        ("at 9:30 a.m.", [("number", "570", "clock")]),
        ("two-thirds of the votes", [("number", "2/3", "share")]),
        ("no one, each one of them, any third party", []),
    ],
)
def test_facts_are_brought_to_one_form(text, expected):
    assert [(str(fact.kind), str(fact.value), fact.unit) for fact in facts(text)] == expected


def test_facts_stand_where_they_say():
    text = "Tenant shall pay $9,600 per month from April 1, 2021 under Section 3.2, plus 3% after twelve (12) months."
    assert all(text[fact.start : fact.end] == fact.text for fact in facts(text))
    assert len(facts(text)) == 5


@pytest.mark.parametrize(
    ("text", "word", "negated", "force"),
    [
        ("The Recipient shall not disclose it.", "disclose", True, "an obligation"),
        ("Neither Party may assign this lease.", "assign", True, "a permission"),
        ("No fee shall be payable.", "payable", True, "an obligation"),
        ("Tenant is not required to pay rent.", "pay", False, "no obligation"),
        ("Neither party is required to purge back-ups.", "purge", False, "no obligation"),
        ("It shall not, except as required by law, be disclosed.", "disclosed", True, "an obligation"),
        ("Rent may not increase by more than 5%.", "increase", False, "a permission"),
        ("Provider shall give notice, including but not limited to email.", "give", False, "an obligation"),
        ("No interest is earned, and the money may be mixed.", "mixed", False, "a permission"),
        ("Landlord has the right to enter.", "enter", False, "a permission"),
        ("Licensee is prohibited from copying it.", "copying", True, None),
    ],
)
def test_negation_and_force_reach_the_verb(text, word, negated, force):
    found = next(entry for entry in read(text) if entry.text == word)
    assert (found.negated, found.force) == (negated, force)


def test_stems_join_the_forms_of_a_word():
    assert len({stem(word) for word in ("terminate", "terminates", "terminated", "terminating", "Termination")}) == 1
    assert stem("party") == stem("parties") == stem("Party's")
    assert stem("lease") != stem("license")


def test_opposites_come_from_list_and_prefix():
    assert opposite("before", "after")
    assert opposite("includes", "excluded")
    assert opposite("revocable", "irrevocable")
    assert not opposite("before", "before")
    assert not opposite("with", "without")  # too common to mean anything alone
    assert opposite("with", "without", strict=False)


LEASE = (
    "LEASE\n\nThis Lease is made between Acme Holdings LLC, a Delaware company having its seat at 4 Quay Street "
    '("Landlord"), and Beta Foods, Inc., an Ohio corporation (the "Tenant"). The base salary (the "Base Rent") is due. '
    "Tenant shall pay. Tenant may leave. Landlord shall rest. Landlord may go."
)


def test_a_company_and_its_role_are_one_party():
    known = parties(LEASE)
    said = known.mentions("Acme must repair what the tenant and Beta Foods, Inc. broke; each party pays its share.")
    names = [("all" if mention.party == EVERYBODY else known.names[mention.party][0]) for mention in said]
    assert names == ["Landlord", "Tenant", "Tenant", "all"]
    assert known.canonical("Beta owes Acme money.") == "Tenant owes Landlord money."
    assert all("Base Rent" not in group for group in known.names)


def test_a_text_without_parties_has_none():
    assert parties("The sky is blue.").names == ()
    assert parties("").mentions("Landlord") == []


@pytest.mark.parametrize(
    ("text", "verb", "who"),
    [
        ("Tenant shall pay the rent.", "pay", "Tenant"),
        ("The rent shall be paid by the Tenant.", "paid", "Tenant"),
        ("The rent shall be paid.", "paid", None),
        ("A notice to Tenant shall state the reason.", "state", None),
        ("Tenant's agent shall pay.", "pay", None),
    ],
)
def test_who_does_it(text, verb, who):
    read_text = clause(text, parties(LEASE))
    index = next(number for number, word in enumerate(read_text.words) if word.text == verb)
    found = agent(read_text, index)
    assert (found.text if found else None) == who


def test_statements_leave_out_greetings_headings_and_leads():
    answer = (
        "Great question!\n\n## Ending\n\nThe lease can be ended in two ways:\n\n- Tenant gives notice of 90 days.\n"
        "- Landlord ends it for cause.\n\nRent stays due. I hope this helps! Let me know if you need more."
    )
    found = statements(answer)
    assert [item.text for item in found] == [
        "Tenant gives notice of 90 days.",
        "Landlord ends it for cause.",
        "Rent stays due.",
    ]
    assert all(answer[item.start : item.end] == item.text for item in found)
    assert [item.lead for item in found] == ["The lease can be ended in two ways:"] * 2 + [""]


@pytest.mark.parametrize(
    ("answer", "texts", "yes"),
    [
        ("Yes", ["Yes"], True),
        ("No.", ["No."], False),
        ("Yes. The rent is due monthly.", ["The rent is due monthly."], None),
        ("No, the landlord cannot terminate it.", ["No, the landlord cannot terminate it."], None),
        ("", [], None),
        ("  \n ", [], None),
        ("I hope this helps.", [], None),
        ("Ohio", ["Ohio"], None),
        ("**Governing law**\n\nOhio law applies here.", ["Ohio law applies here."], None),
    ],
)
def test_yes_and_no_alone_are_the_whole_answer(answer, texts, yes):
    found = statements(answer)
    assert [item.text for item in found] == texts
    assert all(item.yes is yes for item in found)


def test_yes_no_questions_are_recognised():
    assert is_yes_no("Does the clause cap liability?")
    assert is_yes_no(" Is this a severability clause?")
    assert not is_yes_no("What does the clause say?")


def test_citations_and_labels_are_no_part_of_the_statement():
    assert bare("Under Section 2.3, the bonus is 35%.") == "the bonus is 35%."
    assert bare("The cap is $3 million (Section 9.3).") == "The cap is $3 million."
    assert bare("Default rate: an additional 3% is due.") == "an additional 3% is due."
    assert bare("Section 5") == "Section 5"
