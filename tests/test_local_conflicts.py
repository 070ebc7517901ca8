"""What contradicts what: exact cases, no model."""

import pytest

from lemaj_core.judge.local_conflicts import conflicts
from lemaj_core.judge.local_facts import facts
from lemaj_core.judge.local_parties import parties

CONTRACT = (
    'This Agreement is made between Acme Holdings LLC, a Delaware company ("Landlord"), and Beta Foods, Inc., an Ohio '
    'corporation ("Tenant"). Tenant shall pay. Tenant shall keep the roof. Landlord shall rest. Landlord may enter.'
)
PARTIES = parties(CONTRACT)
PAY = "Tenant shall pay the Base Rent to Landlord within thirty (30) days after receipt of the invoice."
CAP = "Landlord's total liability shall not exceed five hundred thousand dollars ($500,000) in any calendar year."
END = "Either party may terminate this Agreement on not less than ninety (90) days' prior written notice."
FEE = "The late fee is two per cent (2%) of the overdue amount for each month."
DAY = "This Agreement takes effect on March 1, 2021 and expires on February 28, 2026."
SECRET = "The Recipient shall not disclose Confidential Information to any third party without prior written consent."
GRANT = "Landlord grants Tenant a non-exclusive, non-transferable license to use the loading dock."


@pytest.mark.parametrize(
    ("statement", "passage", "kind", "found"),
    [
        # values
        (
            "Tenant must pay the Base Rent within 60 days after receipt of the invoice.",
            PAY,
            "period",
            "thirty (30) days",
        ),
        ("The rent is due sixty days after the invoice.", PAY, "period", "thirty (30) days"),
        ("Rent has to be paid within two months of the invoice.", PAY, "period", "thirty (30) days"),
        (PAY.replace("thirty (30)", "thirty (45)"), PAY, "period", "thirty (30) days"),
        (PAY.replace("thirty (30)", "forty (30)"), PAY, "period", "thirty (30) days"),
        (PAY.replace("days", "business days"), PAY, "period", "thirty (30) days"),
        (CAP.replace("five hundred thousand dollars ($500,000)", "$750,000"), CAP, "amount", "$500,000"),
        ("Liability is capped at $5 million per calendar year.", CAP, "amount", "$500,000"),
        ("Liability is capped at EUR 500,000 per calendar year.", CAP, "amount", "$500,000"),
        (FEE.replace("(2%)", "(7%)"), FEE, "percentage", "two per cent (2%)"),
        (FEE.replace("two per", "seven per"), FEE, "percentage", "two per cent (2%)"),
        (CAP.replace("($500,000)", "($5,000,000)"), CAP, "amount", "$500,000"),
        (FEE.replace("two per cent (2%)", "five percent (5%)"), FEE, "percentage", "two per cent (2%)"),
        ("The late fee amounts to 20% of the overdue amount.", FEE, "percentage", "two per cent (2%)"),
        (DAY.replace("2021", "2022"), DAY, "date", "March 1, 2021"),
        (DAY.replace("March 1", "April 1"), DAY, "date", "March 1, 2021"),
        (DAY.replace("February 28", "February 27"), DAY, "date", "February 28, 2026"),
        ("The agreement expires on 31 March 2026.", DAY, "date", "February 28, 2026"),
        ("Rent under Section 4.2 is due.", "Rent under Section 4.1 is due.", "section", "Section 4.1"),
        ("It delivers four copies of the plan.", "It delivers three copies of the plan.", "number", "three"),
        # limits
        (END.replace("not less than", "not more than"), END, "limit", "not less than ninety (90) days"),
        ("A party can terminate with at most 90 days' notice.", END, "limit", "not less than ninety (90) days"),
        # negation
        (PAY.replace("shall pay", "shall not pay"), PAY, "negation", "shall pay"),
        (SECRET.replace("shall not", "shall"), SECRET, "negation", "shall not disclose"),
        (SECRET.replace("shall not", "may"), SECRET, "negation", "shall not disclose"),
        ("The deposit is not refundable.", "The deposit is refundable.", "negation", "is refundable"),
        ("The deposit can be returned.", "The deposit cannot be returned.", "negation", "cannot be"),
        (
            "Section 7 applies to a sale of shares.",
            "Section 7 does not apply to a sale of shares.",
            "negation",
            "not apply",
        ),
        ("The license does not cover contractors.", "The license covers contractors.", "negation", "covers"),
        # force
        (PAY.replace("shall pay", "may pay"), PAY, "force", "shall pay"),
        (PAY.replace("shall pay", "is not required to pay"), PAY, "negation", "shall pay"),
        (END.replace("may terminate", "must terminate"), END, "force", "may terminate"),
        ("Landlord is obliged to inspect the roof.", "Landlord may inspect the roof.", "force", "may inspect"),
        ("Landlord may inspect the roof.", "Landlord must inspect the roof every year.", "force", "must inspect"),
        ("The Recipient is entitled to disclose the information.", SECRET, "force", "shall not disclose"),
        ("Tenant must restore the premises.", "Tenant need not restore the premises.", "force", "need not restore"),
        # exceptions
        (
            "Consent is required in all cases.",
            "Consent is required unless the value is below $100.",
            "exception",
            "unless",
        ),
        ("The cap always applies.", "The cap applies except in cases of fraud.", "exception", "except"),
        # parties
        (PAY.replace("Tenant", "Landlord").replace("to Landlord", "to Tenant"), PAY, "party", "Tenant"),
        (
            "Landlord shall pay the Base Rent within thirty (30) days after receipt of the invoice.",
            PAY,
            "party",
            "Tenant",
        ),
        ("Acme must pay the rent within 30 days.", PAY, "party", "Tenant"),
        (
            "Tenant may enter the Premises at any time.",
            "Landlord may enter the Premises at any time.",
            "party",
            "Landlord",
        ),
        ("The roof shall be repaired by Tenant.", "Landlord shall repair the roof.", "party", "Landlord"),
        ("The law of New Jersey governs this lease.", "The law of New York governs this lease.", "name", "York"),
        # opposites
        (GRANT.replace("non-exclusive", "exclusive"), GRANT, "opposite", "non-exclusive"),
        ("The license to use the dock is transferable.", GRANT, "opposite", "non-transferable"),
        (
            "Notice is given before the end of the term.",
            "Notice is given after the end of the term.",
            "opposite",
            "after",
        ),
        ("The cap is the lesser of rent and fees.", "The cap is the greater of rent and fees.", "opposite", "greater"),
        (
            "Interest is payable monthly on the loan.",
            "Interest is payable quarterly on the loan.",
            "opposite",
            "quarterly",
        ),
        ("The fee includes taxes and insurance.", "The fee excludes taxes and insurance.", "opposite", "excludes"),
    ],
)
def test_a_contradiction_is_named(statement, passage, kind, found):
    result = conflicts(statement, passage, PARTIES)
    assert result, "no conflict"
    # "must" against "need not" is both: a change of force, written with a negation.
    assert result[0].kind == kind or {result[0].kind, kind} == {"negation", "force"}
    assert found in result[0].found


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        (PAY, PAY),
        ("Tenant must pay the Base Rent to Landlord within 30 days after it receives the invoice.", PAY),
        ("Rent has to be paid within one month of the invoice.", PAY),
        ("Beta pays the rent thirty days after the invoice.", PAY),
        ("The rent is to be paid by Tenant within 30 days.", PAY),
        ("Liability is limited to $0.5 million per calendar year.", CAP),
        ("Acme's liability may not be more than USD 500,000 a year.", CAP),
        ("Each side can end the agreement with at least three months' notice.", END),
        ("Both parties have the right to terminate this Agreement on 90 days' written notice.", END),
        ("A late fee of 2 percent a month is charged.", FEE),
        ("The agreement runs from 1 March 2021 to 28 February 2026.", DAY),
        ("The agreement began in March 2021.", DAY),
        ("The agreement ends in 2026.", DAY),
        ("No party may disclose Confidential Information without consent.", SECRET),
        ("The Recipient may not disclose Confidential Information to a third party without consent.", SECRET),
        ("The Recipient is prohibited from disclosing Confidential Information without consent.", SECRET),
        ("Disclosure needs prior written consent.", SECRET),
        ("The license is non-exclusive.", GRANT),
        ("The landlord need not repair the windows.", "Landlord is not required to repair the windows."),
        ("Neither party is obliged to renew.", "The parties need not renew."),
        ("Rent can increase by at most 5% a year.", "Rent may not increase by more than five percent (5%) a year."),
        ("The tenant has no default.", "There has not been a default of Tenant."),
        ("Notice includes email.", "Notice shall be given, including but not limited to email."),
        ("The lease ends on the second anniversary.", "The lease ends two (2) years after its date."),
        ("Section 9 limits liability.", "Section 9.2 limits liability."),
        ("Access is allowed 24 hours a day.", "Landlord allows access twenty-four (24) hours a day."),
    ],
)
def test_other_words_for_the_same_are_no_contradiction(statement, passage):
    assert conflicts(statement, passage, PARTIES) == []


def test_what_the_question_supposes_is_not_held_against_the_answer():
    said = "If the rent comes 45 days late, Tenant owes a fee."
    passage = "Tenant owes a fee if the rent is more than ten (10) days late."
    assert [conflict.said for conflict in conflicts(said, passage, PARTIES)] == ["45 days"]
    assert conflicts(said, passage, PARTIES, known="What happens if the rent is 45 days late?") == []
    assert conflicts(said, passage, PARTIES, known="Is a fee owed for rent that is 45 days late?") != []


def test_a_value_of_another_passage_is_taken_only_where_its_words_fit_better():
    notice = "Client may terminate for convenience on sixty (60) days' prior written notice."
    cure = "Either party may terminate if a breach is not cured within thirty (30) days after notice of it."
    wrong = "Client may terminate for convenience on thirty days' prior notice."
    assert conflicts(wrong, notice, PARTIES, around=((cure, 0.1),))[0].found == "sixty (60) days"
    right = "Client may terminate on sixty days' notice, and a breach must be cured within thirty days."
    assert conflicts(right, notice, PARTIES, around=((cure, 0.05),)) == []


def test_a_cited_section_may_be_the_one_in_which_the_passage_stands():
    said, passage = "Under Section 5.1 Tenant pays the taxes.", "Tenant pays the taxes as stated in Section 8."
    assert conflicts(said, passage, PARTIES, label="Section 5.1") == []
    assert conflicts(said, passage, PARTIES, label="Section 6.1")[0].found == "Section 8"


def test_a_value_that_stands_somewhere_in_the_document_was_not_made_up():
    said, passage = "The deposit of $28,800 bears no interest.", "The deposit bears no interest."
    assert conflicts(said, passage, PARTIES)[0].said == "$28,800"
    assert conflicts(said, passage, PARTIES, document=tuple(facts("Security Deposit: $28,800"))) == []
