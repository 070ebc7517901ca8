"""Ten thousand damaged replies: no exception, no tag that was not offered, no hang."""

import json
import random
import time
from pathlib import Path

import pytest

from lemaj_core.judge.parse import Readable, Unreadable, parse
from lemaj_core.types import FailureKind, Tag

FOLDER = Path(__file__).parent / "golden" / "replies"
REPLIES = [path.read_bytes().decode("utf-8") for path in sorted(FOLDER.glob("*.txt")) if path.stat().st_size < 5_000]
BITS = [
    *"{}[]\",:'\\`<>",
    "\\u",
    "\\ud800",
    "\ud83d",
    "\x00",
    "\ufeff",
    "\u202e",
    "null",
    "NaN",
    "-Infinity",
    "1e999",
    "9" * 400,
    "True",
    "```",
    "</think>",
    "<think>",
    '"tag": "perfect"',
    '"tag": "correct"',
    '{"data_points": [{"text": "x", "tag": "great"}]}',
    '{"data_points": null}',
    "“",
    "//",
    "/*",
    "\n",
    "e\u0301",
]


def damaged(rng: random.Random) -> str:
    text = rng.choice(REPLIES)
    for _ in range(rng.randint(1, 6)):
        at, other = rng.randint(0, len(text)), rng.randint(0, len(text))
        low, high = min(at, other), max(at, other)
        how = rng.randrange(7)
        if how == 0:
            text = text[:low]
        elif how == 1:
            text = text[:at] + rng.choice(BITS) + text[at:]
        elif how == 2:
            text = text[:low] + text[min(high, low + 30) :]
        elif how == 3:
            text = text[:low] + text[low : min(high, low + 200)] * 2 + text[min(high, low + 200) :]
        elif how == 4:
            text = text[:at] + rng.choice(REPLIES) + text[at:]
        elif how == 5 and text:
            text = text[: at - 1] + chr(rng.choice([rng.randrange(128), rng.randrange(0x110000)])) + text[at:]
        else:
            text = text.replace(rng.choice(BITS), rng.choice(BITS), 3)
    return text


def check(text, finish):
    outcome = parse(text, finish)
    if isinstance(outcome, Readable):
        assert {point.tag for point in outcome.points} <= set(Tag)
        ids = [point.id for point in outcome.points]
        assert len(ids) == len(set(ids))
        for point in outcome.points:
            assert point.text.strip()
            json.dumps([point.text, point.quote, point.reason, *point.evidence]).encode()
            f"{point.id}{point.text}{point.quote}{point.reason}{point.evidence}".encode()  # no half characters
    else:
        assert isinstance(outcome, Unreadable)
        assert outcome.kind in FailureKind
        outcome.problem.encode()
    return outcome


def test_ten_thousand_damaged_replies_raise_nothing_and_invent_no_tag():
    rng = random.Random(0)
    kinds: dict[str, int] = {}
    for _ in range(10_000):
        outcome = check(damaged(rng), rng.choice(["stop", "stop", "length", None]))
        kind = outcome.kind if isinstance(outcome, Unreadable) else "readable"
        kinds[kind] = kinds.get(kind, 0) + 1
    # The damage must reach every branch, or the loop proves little.
    assert {"readable", FailureKind.MALFORMED, FailureKind.TRUNCATED, FailureKind.EMPTY} <= set(kinds)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        "{" * 500_000,
        '{"' * 300_000,
        "{'" * 300_000,
        '{"data_points": [' * 40_000,
        '{"a": 1} ' * 90_000,
        '{"data_points": [{"text": "a "b" c", "tag": "correct"}]} ' * 2_000,
        "{" + " " * 900_000 + "'",
        '{"data_points": ["' + "\\" * 800_000,
        "<think>" * 100_000,
        "a" * 999_999,
        '{"data_points": [' + "[]," * 300_000 + "]}",
        "```json\n" * 100_000,
    ],
    ids=lambda text: f"{text[:12]!r} x {len(text)}",
)
def test_huge_replies_are_read_in_time(text):
    started = time.perf_counter()
    check(text, "stop")
    assert time.perf_counter() - started < 10
