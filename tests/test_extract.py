"""What specificity checks and masking hides: every reader on text whose findings are known."""

from itertools import pairwise

import pytest

from lemaj_core.errors import SettingsError
from lemaj_core.judge.extract import find, spans, words

HAZARD = (
    "As a Bridge Inspector in Harris County, TX, plan for a Category 4 hurricane with 3–6 feet of storm surge over "
    "the next 30-50 years; by 2050 the 100-year flood may rise 20%. Check structural integrity of substations."
)


def read(text, preset, source=""):
    return [(one.text, one.dimension, one.value) for one in find(text, preset, source)]


def test_hazard_preset_finds_every_dimension_once():
    assert read(HAZARD, "hazard") == [
        ("Bridge Inspector", "profession", "bridge inspector"),
        ("Harris County, TX", "location", ("harris", "Texas")),
        ("Category 4", "intensity", ("category", 4.0, 4.0)),
        ("hurricane", "hazard", "hurricane"),
        ("3–6 feet", "intensity", ("length", pytest.approx(0.9144), pytest.approx(1.8288))),
        ("storm surge", "hazard", "storm surge"),
        ("30-50 years", "timeline", ("horizon", 30.0, 50.0)),
        ("2050", "timeline", ("calendar", 2050.0, 2050.0)),
        # an intensity as a whole: neither a time of 100 years nor a hazard "flood"
        ("100-year flood", "intensity", ("return period", 100.0, 100.0)),
        ("20%", "intensity", ("percent", 20.0, 20.0)),
        ("structural integrity", "concern", "structural integrity"),
        ("substations", "infrastructure", "substation"),
    ]


def test_legal_preset_finds_every_dimension_once():
    source = 'This Lease is between Acme Ltd. (the "Landlord") and Beta Inc. (the "Tenant"). Tenant shall pay.'
    text = (
        "Under Section 12.3(a) Beta must pay $5,000 or 2% within thirty (30) days of 1 May 2024 and may not assign; "
        "the laws of the State of Delaware and English law apply in the 9th Cir. courts."
    )
    found = {}
    for one in find(text, "legal", source):
        found.setdefault(one.dimension, []).append(one.text)
    assert found == {
        "clause reference": ["Section 12.3(a)"],
        "party or obligation": ["Beta", "pay", "assign"],
        "amount or threshold": ["$5,000", "2%"],
        "date or term": ["thirty (30) days", "1 May 2024"],
        "jurisdiction": ["State of Delaware", "English", "9th Cir."],
    }
    values = {one.text: one.value for one in find(text, "legal", source)}
    assert values["Beta"] == "tenant"
    assert values["pay"] == ("duty", "pay")
    assert values["assign"] == ("ban", "assign")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("in Yolo County, California", ("yolo", "California")),
        ("in St. Louis, Missouri", ("st. louis", "Missouri")),
        ("Prince George's County, MD", ("prince george's", "Maryland")),
        ("in Houston", ("houston", "Texas")),
        ("In Ventura County", ("ventura", None)),
        ("Across Texas", (None, "Texas")),
        ("on the Gulf Coast", ("Gulf Coast", None)),
        ("the County of Kern, California", ("kern", "California")),
    ],
)
def test_places(text, value):
    assert [one.value for one in find(text, "hazard", dimensions=["location"])] == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5 - 10 years", ("horizon", 5.0, 10.0)),
        ("a decade of 10 years", ("horizon", 10.0, 10.0)),
        ("from 2030 to 2050", ("calendar", 2030.0, 2050.0)),
        ("in the 2030s", ("calendar", 2030.0, 2039.0)),
        ("by mid-century", ("calendar", 2040.0, 2060.0)),
        ("within 6 months", ("horizon", 0.5, 0.5)),
    ],
)
def test_times(text, value):
    assert [one.value for one in find(text, "hazard", dimensions=["timeline"])] == [value]


@pytest.mark.parametrize("text", ["", "The committee may object.", "Nothing of the kind is stated here."])
def test_ordinary_words_are_no_hazard_place_or_time(text):
    assert find(text, "hazard") == []


def test_severity_counts_only_before_a_hazard():
    assert [one.text for one in find("a severe drought and a significant clause", "hazard")] == ["severe", "drought"]


def test_a_severity_does_not_hide_the_hazard_behind_it():
    assert [one.text for one in find("extreme heat waves", "hazard")] == ["extreme", "heat waves"]
    assert [one.text for one in find("in extreme heat", "hazard")] == ["extreme heat"]


def test_spans_for_masking_never_overlap_and_leave_verbs_alone():
    for text, preset in ((HAZARD, "hazard"), ("Tenant must pay $5 within 3 days under Section 2.", "legal")):
        found = spans(text, preset)
        assert all(left[1] <= right[0] for left, right in pairwise(found))
        assert all(0 <= start < end <= len(text) for start, end, _ in found)
    assert [text[start:end] for start, end, _ in found] == ["Tenant", "$5", "3 days", "Section 2"]


def test_own_dimensions_use_the_readers_of_both_presets():
    found = find("A drought in Texas: pay $5 within 3 days.", "own", dimensions=["hazard", "amount or threshold"])
    assert [one.text for one in found] == ["drought", "$5"]


def test_an_unknown_preset_is_refused():
    with pytest.raises(SettingsError, match="hazard, legal or own"):
        find("text", "medical")


def test_every_hazard_word_leads_to_its_name():
    for name, entry in words()["hazards"].items():
        for word in entry["words"]:
            assert name in {one.value for one in find(f"the {word} came", "hazard", dimensions=["hazard"])}, word
