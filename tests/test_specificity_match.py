"""When two specific things say the same, and when nearly."""

import pytest

from lemaj_core.judge.extract import find, reader_of
from lemaj_core.judge.specificity_match import near, same


def one(text, preset, source=""):
    found = find(text, preset, source)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("preset", "left", "right", "expected"),
    [
        ("legal", "30 days", "thirty (30) days", "same"),
        ("legal", "30 days", "60 days", "other"),
        ("legal", "30 days", "30 business days", "other"),
        ("legal", "$5,000", "USD 5,000", "same"),
        ("legal", "$5,000", "€5,000", "other"),
        ("legal", "Section 4.2", "Clause 4.2(b)", "same"),
        ("legal", "Section 4.2", "Section 4.3", "other"),
        ("legal", "State of Delaware", "Delaware", "same"),
        ("legal", "Delaware", "Ohio", "other"),
        ("hazard", "hurricanes", "tropical cyclone", "same"),
        ("hazard", "hurricane", "storm surge", "near"),
        ("hazard", "hurricane", "drought", "other"),
        ("hazard", "Harris County, TX", "Texas", "same"),
        ("hazard", "Harris County, Texas", "Galveston, Texas", "same"),  # SCORE: a state match is enough
        ("hazard", "Harris County", "Fort Bend County", "other"),
        ("hazard", "Gulf Coast", "Texas", "near"),
        ("hazard", "Gulf Coast", "Ohio", "other"),
        ("hazard", "10 years", "a decade of 10 years", "same"),
        ("hazard", "30-50 years", "20 - 30 years", "near"),
        ("hazard", "5-10 years", "20 - 30 years", "other"),
        ("hazard", "mid-century", "2050", "near"),
        ("hazard", "2050", "2040", "other"),  # 2 % of 2050 would be 41 years
        ("hazard", "2050", "50 years", "other"),  # a calendar year and a horizon are of two sorts
        ("hazard", "3 feet", "0.91 m", "same"),  # 3 x 0.3048 = 0.9144, within 2 %
        ("hazard", "3 feet", "1 m", "near"),  # 0.9144 / 1 is within a tenth
        ("hazard", "3 feet", "3 m", "other"),
        ("hazard", "Category 4", "category 3-5", "near"),
        ("hazard", "14 to 19 percent", "12 to 17 percent", "other"),
        ("hazard", "Category 4", "4 feet", "other"),
    ],
)
def test_same_near_other(preset, left, right, expected):
    pair = one(left, preset), one(right, preset)
    assert (same(*pair), near(*pair)) == {"same": (True, True), "near": (False, True), "other": (False, False)}[
        expected
    ]
    assert (same(*pair[::-1]), near(*pair[::-1])) == (same(*pair), near(*pair)), "the order must not matter"


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("date or term", "date or term"),
        ("Notice period", "date or term"),
        ("Counties", None),
        ("County", "location"),
        ("parties", "party or obligation"),
        ("governing law", "jurisdiction"),
        ("hazard_location", None),  # words of two dimensions: served by none
        ("tone", None),
    ],
)
def test_the_users_names_find_their_reader(name, reader):
    assert reader_of(name) == reader
