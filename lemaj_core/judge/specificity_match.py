"""When two specific things say the same: in the same form (normalised), or near enough in meaning (semantic).

Compares values that :mod:`lemaj_core.judge.extract` read. It looks at no passage and decides no label.
"""

from lemaj_core.judge.extract import Found, words
from lemaj_core.judge.local_facts import Fact
from lemaj_core.judge.local_same import same as same_fact

_TOLERANCE = 0.02
_ROUGHLY = 0.1


def same(one: Found, other: Found) -> bool:
    """Whether both state the same: "thirty (30) days" and "30 days", "TX" and "Texas", "3 feet" and "0.91 m".

    Obligations are compared by their force alone (duty, right, ban, no duty): people say "put in" for "contribute".
    A state match is enough for a place, as in SCORE; a county or city without a state must have the same name.
    """
    if one.kind != other.kind:
        return False
    left, right = one.value, other.value
    if isinstance(left, Fact) and isinstance(right, Fact):
        return same_fact(left, right)
    if one.kind == "place":
        return _same_place(left, right)
    if one.kind == "obligation":
        return bool(left[0] == right[0])
    if one.kind in ("time", "measure") and left[0] != "calendar":
        return left[0] == right[0] and all(_close(a, b, _TOLERANCE) for a, b in zip(left[1:], right[1:], strict=True))
    return bool(left == right)


def near(one: Found, other: Found) -> bool:
    """Whether both mean nearly the same.

    Hazards of one family (storm surge and coastal flooding), a region and a state in it, times that overlap, measures
    within a tenth or one range inside the other, neighbouring words of severity.
    """
    if same(one, other):
        return True
    if one.kind != other.kind:
        return False
    left, right = one.value, other.value
    if one.kind == "hazard":
        hazards = words()["hazards"]
        return bool(set(hazards[left]["families"]) & set(hazards[right]["families"]))
    if one.kind == "place":
        return _in_region(left, right) or _in_region(right, left)
    if one.kind == "time":
        return bool(left[0] == right[0] and left[1] <= right[2] and right[1] <= left[2])
    if one.kind == "measure":
        return bool(left[0] == right[0]) and (
            all(_close(a, b, _ROUGHLY) for a, b in zip(left[1:], right[1:], strict=True))
            or _inside(left, right)
            or _inside(right, left)
        )
    if one.kind == "severity":
        return bool(abs(left[1] - right[1]) <= 1)
    return False


def _same_place(left: object, right: object) -> bool:
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return left == right  # a jurisdiction is a name alone
    name, state = left
    other, its_state = right
    if state is not None and its_state is not None:
        return bool(state == its_state)
    return name is not None and name == other


def _in_region(region: object, place: object) -> bool:
    if not isinstance(region, tuple) or not isinstance(place, tuple):
        return False
    return place[1] is not None and place[1] in words()["regions"].get(region[0], ())


def _inside(one: tuple[str, float, float], other: tuple[str, float, float]) -> bool:
    return other[1] <= one[1] and one[2] <= other[2]


def _close(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= tolerance * max(abs(one), abs(other))
