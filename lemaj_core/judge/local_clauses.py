"""One sentence with everything that can be compared: words, facts, parties, and who does what.

Joins the small readers into one record, made once per text. It compares nothing.
"""

from dataclasses import dataclass
from functools import lru_cache

from lemaj_core.judge.local_facts import Fact, facts
from lemaj_core.judge.local_modals import Force
from lemaj_core.judge.local_parties import EVERYBODY, Mention, Parties
from lemaj_core.judge.local_words import Word, content, read

_PHRASE = 5
_BEFORE_VERB = frozenset(("shall", "may", "must", "will", "does", "do", "is", "are", "can", "need"))
_AUXILIARIES = frozenset(("does", "do", "did", "is", "are", "was", "were"))
_RELATIVE = frozenset(("that", "which", "who", "it", "they", "if", "where", "and"))


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A text, read. ``keys`` are its words in the form in which two texts are compared."""

    text: str
    words: tuple[Word, ...]
    keys: tuple[str, ...]
    facts: tuple[Fact, ...]
    mentions: tuple[Mention, ...]

    def phrase(self, index: int) -> str:
        """Give a word with what governs it: "shall not disclose"."""
        first = index
        while first > 0 and index - first < _PHRASE and self.words[first - 1].text not in ".;:,()":
            first -= 1
            if self.words[first].cue or self.words[first].text in _BEFORE_VERB:
                if first and self.words[first - 1].text in _BEFORE_VERB:
                    first -= 1
                break
        return self.text[self.words[first].start : self.words[index].end]

    def denied(self, index: int) -> bool:
        """Whether a word is the verb of "does not", "is not" or the like."""
        at = index - 1
        while at >= 0 and self.words[at].text.endswith("ly"):
            at -= 1
        if at < 1 or self.words[at].text != "not" or self.words[at - 1].text not in _AUXILIARIES:
            return False
        # "a breach that is not cured" does not say that breaches are not cured.
        return at < 2 or self.words[at - 2].text not in _RELATIVE

    def not_at(self, index: int) -> bool:
        """Whether the word at an index is "not"."""
        return index < len(self.words) and self.words[index].text == "not"

    def span(self, first: int, last: int) -> str:
        """Give some words with the one before and behind them."""
        first, last = max(0, first - 1), min(len(self.words), last + 1)
        return self.text[self.words[first].start : self.words[last - 1].end]

    def parties_in(self, first: int, last: int) -> dict[int, str]:
        """Name the parties that stand among some words, each with its text."""
        if first >= last:
            return {}
        start, end = self.words[first].start, self.words[last - 1].end
        return {
            mention.party: mention.text
            for mention in self.mentions
            if mention.party != EVERYBODY and mention.start < end and mention.end > start
        }

    def capitals(self, first: int, last: int) -> list[str]:
        """Give the capitalised words among some words: names and defined terms, not the first word of a sentence."""
        found = []
        for index in range(max(first, 1), last):
            text = self.text[self.words[index].start : self.words[index].end]
            if text[0].isupper() and len(text) > 1 and self.words[index - 1].text not in ".;:(":
                found.append(text)
        return found

    def counted(self, fact: Fact) -> str:
        """Give the stem of what a number counts: the next content word."""
        return next((word.stem for word in self.words if word.start >= fact.end and content(word)), "")

    def limit(self, fact: Fact) -> str:
        """Give the limit that a value sets: "<=", ">=", "<", ">" or ""."""
        near = [word for word in self.words if word.bound and 0 <= fact.start - word.end <= 24]
        if near:
            return near[-1].bound
        after = self.text[fact.end : fact.end + 14].lower().lstrip(" )")
        if after.startswith(("or more", "or longer", "or greater")):
            return ">="
        return "<=" if after.startswith(("or less", "or fewer")) else ""

    def limited(self, fact: Fact) -> str:
        """Give a value with the words of its limit."""
        near = [word.start for word in self.words if word.bound and 0 <= fact.start - word.end <= 24]
        first = fact.start
        for start in reversed(near):
            if first - start <= 24:
                first = start
        return self.text[first : fact.end]


@lru_cache(maxsize=4096)
def clause(text: str, parties: Parties) -> Clause:
    """Read a sentence; the last few thousand are remembered."""
    words = read(text)
    mentions = tuple(parties.mentions(text))
    named = {}
    for mention in mentions:
        inside = [index for index, word in enumerate(words) if mention.start <= word.start < mention.end]
        for step, index in enumerate(inside):
            named[index] = f"party {mention.party}" if step == 0 else "party"
    keys = tuple(named.get(index, word.text) for index, word in enumerate(words))
    return Clause(text, words, keys, tuple(facts(text)), mentions)


def effect(word: Word) -> Force | None:
    """Give the force of a verb after negation: a negated duty or right is a ban."""
    if word.force in (Force.DUTY, Force.RIGHT) and word.negated:
        return Force.BAN
    return word.force


def agent(text: Clause, index: int) -> Mention | None:
    """Say who does what a verb says: the party before it, or behind "by" in the passive; None if not stated."""
    verb = text.words[index]
    before = [mention for mention in text.mentions if mention.end <= verb.start and not mention.owner]
    if _is_passive(text, index):
        after = text.text[verb.end : verb.end + 60].lower()
        at = after.find(" by ")
        start = verb.end + at + 4
        return next((m for m in text.mentions if at >= 0 and start <= m.start <= start + 6 and not m.owner), None)
    # The subject stands in the same clause: nothing but its own words between it and the verb.
    if not before or _stops(text, before[-1].end, verb.start):
        return None
    subject = before[-1]
    if _is_object(text, subject):
        return None
    return subject


def _is_passive(text: Clause, index: int) -> bool:
    near = [word.text for word in text.words[max(0, index - 4) : index]]
    return "be" in near or "been" in near


def _stops(text: Clause, start: int, end: int) -> bool:
    between = text.text[start:end]
    return any(sign in between for sign in ".;:") or len(between) > 60


def _is_object(text: Clause, mention: Mention) -> bool:
    """Whether a party hangs on a preposition: "the notice to Tenant shall state" has no party as subject."""
    before = text.text[max(0, mention.start - 14) : mention.start].lower().split()
    before = [word for word in before if word not in ("the", "such", "a")]
    return bool(before) and before[-1] in (
        "to",
        "of",
        "by",
        "from",
        "with",
        "for",
        "against",
        "upon",
        "on",
        "between",
        "and",
        "or",
    )
