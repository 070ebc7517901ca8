"""Several judges on the same answers: their data points laid side by side, one verdict for each, and who was alone.

A juror who judged an answer and has no such data point votes "not there"; one who failed on the answer, or could not
check the point, does not vote. Where no vote carries, nothing is decided: the point goes to a person. It judges
nothing itself and asks nobody.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import pandas as pd

from lemaj_core.errors import SettingsError
from lemaj_core.metrics.alignment import align
from lemaj_core.metrics.data_points import DataPointScores, score_tags
from lemaj_core.types import DataPoint, Score, Tag, juror

ABSENT = "not there"
UNDECIDED = "undecided"
Rule = Literal["majority", "unanimous", "weighted"]
RULES: tuple[Rule, ...] = ("majority", "unanimous", "weighted")

Votes = Mapping[str, str]
"""What each juror who votes says: a tag, or "not there"."""


class Heard(NamedTuple):
    """One data point as the jury sees it.

    ``points`` holds each juror's own point, ``votes`` what each juror who votes says. ``tag`` is what carries (a tag,
    "not there", or "undecided"); ``agreement`` the share of pairs of votes that are equal (None with fewer than two);
    ``alone`` the one juror whom all the others, at least two, contradict with one voice.
    """

    item_id: str
    number: int
    text: str
    points: Mapping[str, DataPoint]
    votes: Votes
    tag: str
    agreement: float | None
    alone: str | None


def decide(votes: Votes, rule: Rule = "majority", weights: Mapping[str, float] | None = None) -> str:
    """Find what a jury says of one data point.

    Parameters
    ----------
    votes : mapping of str to str
        A tag or "not there" by juror.
    rule : {"majority", "unanimous", "weighted"}
        Majority: more than half of the votes. Unanimous: all of them. Weighted: more than half of the weight.
    weights : mapping of str to float, optional
        Weight of each juror, >= 0; 1 where none is given. Used by "weighted" only.

    Returns
    -------
    str
        What carries; "undecided" for a tie, for three jurors of three minds, and where nobody votes.

    Raises
    ------
    SettingsError
        If there is no such rule, or a weight is negative.

    Examples
    --------
    >>> decide({"a": "correct", "b": "correct", "c": "incorrect"}), decide({"a": "correct", "b": "incorrect"})
    ('correct', 'undecided')
    """
    if rule not in RULES:
        raise SettingsError(f"there is no rule {rule!r}; a jury decides by {', '.join(RULES)}")
    heavy = {name: (weights or {}).get(name, 1.0) if rule == "weighted" else 1.0 for name in votes}
    if any(not 0 <= weight < float("inf") for weight in heavy.values()):
        raise SettingsError("the weight of a juror must be a number of 0 or more")
    said: dict[str, float] = defaultdict(float)
    for name, vote in votes.items():
        said[vote] += heavy[name]
    total = sum(heavy.values())
    need = total if rule == "unanimous" else total / 2
    for vote, weight in said.items():
        if total and (weight >= need if rule == "unanimous" else weight > need):
            return vote
    return UNDECIDED


def hear(
    item_id: str,
    read: Mapping[str, Sequence[DataPoint]],
    rule: Rule = "majority",
    weights: Mapping[str, float] | None = None,
) -> list[Heard]:
    """Lay the data points of one answer side by side and decide each.

    Parameters
    ----------
    item_id : str
    read : mapping of str to sequence of DataPoint
        Points by juror, for every juror who judged the answer, also one who found no point.
    rule, weights
        See :func:`decide`.

    Returns
    -------
    list of Heard
        Points of the first juror in its order, then what the others have beside them. A point is aligned with the
        first one of its row, one to one, by place and words (:func:`lemaj_core.metrics.alignment.align`).
    """
    rows: list[dict[str, DataPoint]] = []
    for name, points in read.items():
        laid = align([next(iter(row.values())) for row in rows], points)
        for left, right in laid.pairs:
            rows[left][name] = points[right]
        rows += [{name: points[right]} for right in laid.only_right]
    return [_heard(item_id, number, row, list(read), rule, weights) for number, row in enumerate(rows, start=1)]


def _heard(
    item_id: str,
    number: int,
    row: Mapping[str, DataPoint],
    jurors: Sequence[str],
    rule: Rule,
    weights: Mapping[str, float] | None,
) -> Heard:
    votes = {name: ABSENT if name not in row else str(row[name].tag or "") for name in jurors}
    votes = {name: vote for name, vote in votes.items() if vote}
    text = next(iter(row.values())).text
    return Heard(item_id, number, text, row, votes, decide(votes, rule, weights), agreement(votes), alone(votes))


def agreement(votes: Votes) -> float | None:
    """Share of the pairs of votes that are equal, in [0, 1]; None with fewer than two votes."""
    pairs = list(combinations(votes.values(), 2))
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else None


def alone(votes: Votes) -> str | None:
    """Juror whom all the others contradict with one voice; None where there is no such juror, or only one other."""
    counted = Counter(votes.values())
    if len(votes) < 3 or sorted(counted.values()) != [1, len(votes) - 1]:
        return None
    return next(name for name, vote in votes.items() if counted[vote] == 1)


def verdict(heard: Sequence[Heard], beta: float = 1.0) -> DataPointScores:
    """Scores of one answer by the tags that carried.

    Undefined while a data point is undecided: scores of the rest would be scores of another answer. Points that are
    "not there" by decision count nothing.
    """
    waiting = sum(one.tag == UNDECIDED for one in heard)
    if waiting:
        reason = f"{waiting} of {len(heard)} data points wait for a person"
        return DataPointScores(*(Score.undefined(reason) for _ in DataPointScores._fields))
    return score_tags((Tag(one.tag) for one in heard if one.tag != ABSENT), beta)


class Repeats(NamedTuple):
    """How often one model contradicts itself when it is asked again with the same words.

    ``flips`` is the mean over data points of the share of pairs of repeats that differ (None without a pair);
    ``flipped`` counts the points on which any two differ.
    """

    juror: str
    repeats: int
    points: int
    flipped: int
    flips: float | None


def repeats(heard: Sequence[Heard], jurors: Sequence[str]) -> list[Repeats]:
    """Flip rates of the jurors that are one model with one prompt asked several times; see :class:`Repeats`."""
    families: dict[str, list[str]] = defaultdict(list)
    for name in jurors:
        model, prompt, _ = juror(name)
        families[f"{model}#{prompt}" if prompt else model].append(name)
    found = []
    for family, names in families.items():
        if len(names) < 2:
            continue
        rates = []
        for one in heard:
            rate = agreement({name: one.votes[name] for name in names if name in one.votes})
            if rate is not None and any(one.votes.get(name, ABSENT) != ABSENT for name in names):
                rates.append(1 - rate)
        flips = sum(rates) / len(rates) if rates else None
        found.append(Repeats(family, len(names), len(rates), sum(rate > 0 for rate in rates), flips))
    return found


def table(heard: Sequence[Heard], jurors: Sequence[str]) -> pd.DataFrame:
    """One row per data point: item_id, number, text, tag, agreement, alone, and each juror's vote (missing: none)."""
    rows = [
        {
            "item_id": one.item_id,
            "number": one.number,
            "text": one.text,
            "tag": one.tag,
            "agreement": one.agreement,
            "alone": one.alone,
            **{name: one.votes.get(name) for name in jurors},
        }
        for one in heard
    ]
    return pd.DataFrame(rows, columns=["item_id", "number", "text", "tag", "agreement", "alone", *jurors])


def queue(laid: pd.DataFrame) -> list[str]:
    """Ids of the answers that a person must read because a data point is undecided, in the order of the file."""
    return list(dict.fromkeys(laid.loc[laid["tag"] == UNDECIDED, "item_id"]))


def pairwise(laid: pd.DataFrame, jurors: Sequence[str]) -> pd.DataFrame:
    """Share of data points on which two jurors vote the same, each with each; NaN where they never vote together."""
    shares = pd.DataFrame(index=list(jurors), columns=list(jurors), dtype=float)
    for one in jurors:
        for other in jurors:
            both = laid[one].notna() & laid[other].notna()
            shares.loc[one, other] = (laid.loc[both, one] == laid.loc[both, other]).mean() if both.any() else None
    return shares


def alone_counts(laid: pd.DataFrame, jurors: Sequence[str]) -> pd.DataFrame:
    """How often each juror was alone: juror, votes, alone, share (NaN without a vote)."""
    votes = [int(laid[name].notna().sum()) for name in jurors]
    counts = [int((laid["alone"] == name).sum()) for name in jurors]
    shares = [count / cast if cast else None for count, cast in zip(counts, votes, strict=True)]
    return pd.DataFrame({"juror": list(jurors), "votes": votes, "alone": counts, "share": shares}).astype(
        {"share": float}
    )
