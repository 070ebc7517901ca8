"""What a run would ask and cost, before anything is asked. It sends nothing and touches no network."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lemaj_core.errors import SettingsError
from lemaj_core.judge import OFFLINE, SCRIPTED
from lemaj_core.judge.data_points import build_request, expected_tokens
from lemaj_core.judge.examine import examiners
from lemaj_core.models.prices import count_tokens, price
from lemaj_core.store import Store
from lemaj_core.text.wording import Wording
from lemaj_core.types import Dataset, Request, RunSettings, juror

COUNTED = 20  # requests of a judge whose tokens are counted; the others go by their length
REPLY_LIMIT = 4096  # tokens of a reply whose request sets no limit


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would take.

    ``calls`` counts the requests to language models (the offline judge sends none), ``cached`` those of them that are
    answered already. Tokens and ``cost`` are of the others; ``cost`` is None when the price of a model in
    ``unpriced`` is unknown.
    """

    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    unpriced: tuple[str, ...] = ()


def plan(dataset: Dataset, settings: RunSettings, *, store: Store | None = None) -> Plan:
    """Count calls, tokens and price of evaluating a data set.

    Parameters
    ----------
    dataset : Dataset
        What would be evaluated.
    settings : RunSettings
        How.
    store : Store, optional
        Whose ledger may hold replies already.

    Returns
    -------
    Plan
        Input tokens are counted on the first requests of each judge and carried over to the rest by length. Output
        tokens are what the judge expects from the length of the answers. A second request for the same answer (a
        reply cut off or unreadable) is not foreseen.
    """
    calls = cached = tokens_in = tokens_out = 0
    cost = 0.0
    unpriced = []
    for judge in settings.judges:
        if judge.startswith(SCRIPTED):
            continue
        asked = _asked(dataset, settings, judge, store.wording_of(judge) if store else None)
        known = store.known_keys(asked) if store else set()
        fresh = [request for key, request in asked.items() if key not in known]
        into, out = sum(request.tokens_in for request in fresh), sum(request.tokens_out for request in fresh)
        calls, cached = calls + len(asked), cached + len(known)
        tokens_in, tokens_out = tokens_in + into, tokens_out + out
        for request in fresh:
            paid = price(request.model, request.tokens_in, request.tokens_out)
            if paid is None:
                unpriced.append(request.model)
            else:
                cost += paid
    unknown = tuple(dict.fromkeys(unpriced))
    return Plan(calls, cached, tokens_in, tokens_out, None if unknown else cost, unknown)


class _Asked(NamedTuple):
    model: str
    tokens_in: int
    tokens_out: int


def _asked(dataset: Dataset, settings: RunSettings, judge: str, words: Wording | None) -> dict[str, _Asked]:
    """Weigh the first requests of every answer, by key: equal ones are asked once."""
    asked: dict[str, _Asked] = {}
    tokens = characters = 0
    for request, out in _requests(dataset, settings, judge, words):
        key = request.key()
        if key in asked:
            continue
        length = _length(request)
        if len(asked) < COUNTED:
            counted = count_tokens(request.model, request.messages)
            tokens, characters = tokens + counted, characters + length
        else:
            counted = round(length * tokens / characters)
        asked[key] = _Asked(request.model, counted, out)
    return asked


def _requests(
    dataset: Dataset, settings: RunSettings, judge: str, words: Wording | None
) -> Iterator[tuple[Request, int]]:
    """Give what a judge and the examiners beside it would ask first, with the tokens each reply may have."""
    several = examiners(juror(judge).model, settings)
    for item in dataset.items:
        document = dataset.documents.get(item.document_id) if item.document_id else None
        if judge != OFFLINE and "data_points" in settings.metrics:
            yield build_request(item, document, settings, model=judge, words=words), expected_tokens(item)
        for examiner in several:
            yield from examiner.requests(item, document)


def price_bound(settings: RunSettings, judges: Collection[str]) -> Callable[[Request], float]:
    """Give an upper estimate of the price of one request to the judges named, for the spend cap.

    Raises
    ------
    SettingsError
        If there is a cap and the price of a judge is unknown, so that the cap could not be kept.
    """
    priced = {juror(judge).model for judge in judges if judge != OFFLINE and not judge.startswith(SCRIPTED)}
    if settings.max_cost is None or not priced:
        return lambda request: 0.0
    for judge in sorted(priced):
        if price(judge, 1000, 1000) is None:
            raise SettingsError(
                f"the price of {judge} is unknown, so a spend cap of {settings.max_cost} USD cannot be kept; "
                "remove the cap or choose a model with a known price"
            )

    def bound(request: Request) -> float:
        if request.model not in priced:
            return 0.0
        limits = (request.parameters.get(name) for name in ("max_tokens", "max_completion_tokens"))
        limit = next((value for value in limits if value), REPLY_LIMIT)
        # English text has four to five characters in a token; three keeps the estimate above the truth
        return price(request.model, _length(request) // 3 + 1, limit) or 0.0

    return bound


def _length(request: Request) -> int:
    return sum(len(message["content"]) for message in request.messages)
