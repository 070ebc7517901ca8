"""Sentences of a contract in other words that leave them right. Seeded; independent of the judge.

Three ways, usually together: other words for the same, the condition moved to the other end, an aside left out. They
test that the judge does not call every change an error.
"""

import random
import re

_NUMBER = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|thirty|forty|fifty|sixty|"
    "seventy|eighty|ninety|hundred|thousand"
)
_SPELLED = rf"\b(?:(?:{_NUMBER})[ -])+\((\d+)\)"
_WORDS = (
    (r"\bshall\b(?! not)", "must"), (r"\bprior to\b", "before"), (r"\bterminate\b", "end"),
    (r"\bin the event that\b", "if"),
    (r"\bin the event of\b", "in case of"), (r"\bsubsequent to\b", "after"), (r"\bpursuant to\b", "under"),
    (r"\bobtain\b", "get"),
    (r"\bcommence\b", "begin"), (r"\bprovide\b", "give"), (r"\bpurchase\b", "buy"), (r"\bagreement\b", "contract"),
    (r"\bAgreement\b", "contract"),
    (r"\bsufficient\b", "enough"), (r"\bregarding\b", "about"), (r"\bassist\b", "help"), (r"\brequire\b", "need"),
    (r"\bfurnish\b", "supply"),
    (r"\bnotify\b", "inform"), (r"\bpromptly\b", "without delay"), (r"\bimmediately\b", "at once"),
    (r"\bhereunder\b", "under it"),
    (r"\bany and all\b", "all"), (r"\bin accordance with\b", "according to"), (r"\butili[sz]e\b", "use"),
    (r"\bfor the purpose of\b", "for"),
    (r"\bis entitled to\b", "has the right to"), (r"\bshall not\b", "must not"), (r"\bshall be\b", "is to be"),
    (r"\bagrees to\b", "will"),
    (_SPELLED, r"\1"), (r"\bhas the right to\b", "may"), (r"\bwritten notice\b", "notice in writing"),
    (r"\bsolely\b", "only"),
    (r"\bcopies\b", "reproductions"), (r"\bexpenses\b", "costs"), (r"\bmaintain\b", "keep"), (r"\bobligations\b",
    "duties"), (r"\bthirty\b", "30"),
    (r"\bdisclose\b", "reveal"), (r"\bcompensation\b", "payment"), (r"\bparties agree\b", "parties have agreed"),
    (r"\breceive\b", "get"),
)  # fmt: skip
_ASIDE = re.compile(
    r"\s*\((?![a-z]{1,3}\)|\d)[^()]{8,120}\)|, (?:including|without limitation|for example|as applicable|if any"
    r"|in its sole discretion)[^,.;]{0,120}(?=[,.;])"
)
_TAIL = re.compile(r",? (?:provided that|provided, however, that|except that|it being understood that)[^.;]*(?=[.;])")
_MOVED = re.compile(
    r"^(?P<when>(?:If|Upon|Within|During|At|After|Where|When|For|On)\b[^,.;]{8,140}), (?P<rest>[^;]{30,})\.$"
)
_TO_FRONT = re.compile(r"^(?P<rest>[^,;]{30,}?) (?P<when>(?:if|upon|within|during|after|where|when) [^,;]{10,120})\.$")
_NUMBERING = re.compile(r"^\s*(?:\(?\w{1,4}\)|\d+(?:\.\d+)*\.?)\s+")


def reworded(sentence: str, rng: random.Random) -> str | None:
    """Say a sentence in other words; None where fewer than two changes are possible."""
    changes = 0
    text = _NUMBERING.sub("", sentence)
    if rng.random() < 0.7 and (found := _MOVED.match(text)):
        rest, when = found["rest"], found["when"]
        text = f"{rest[0].upper()}{rest[1:]} {when[0].lower()}{when[1:]}."
        changes += 1
    elif rng.random() < 0.5 and (found := _TO_FRONT.match(text)):
        rest, when = found["rest"], found["when"]
        text = f"{when[0].upper()}{when[1:]}, {rest}."
        changes += 1
    for pattern in (_ASIDE, _TAIL):
        if rng.random() < 0.8:
            text, count = pattern.subn("", text, count=1)
            changes += count
    for old, new in _WORDS:
        if rng.random() < 0.85:
            text, count = re.subn(old, new, text)
            changes += bool(count)
    return text if changes >= 2 and text != sentence else None
