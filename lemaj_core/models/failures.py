"""Turns whatever a provider's client raises into the kinds of failure that this project knows.

Works on the status code, the class name and the words of the error, so it imports no model library. It decides also
whether trying again can help and how long the provider asks to wait.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from lemaj_core.errors import CallFailed
from lemaj_core.models.secrets import scrubbed
from lemaj_core.types import FailureKind

_LONGEST_MESSAGE = 500

_NO_MONEY = re.compile(
    r"insufficient.?(?:quota|balance|funds|credit)|exceeded your current quota|billing|out of credits", re.I
)
_NO_KEY = re.compile(r"api.?key|unauthori[sz]ed|authentication|permission|credential", re.I)
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size)|too many tokens|prompt is too long|input.{0,20}too long", re.I
)
_POLICY = re.compile(r"content.{0,5}(?:filter|management|policy)|safety|flagged|moderation", re.I)
_TRY_IN = re.compile(
    r"(?:try again in|retry in|retry after|retryDelay\W{1,6})\s*"
    r"(?:(?P<m>\d+)m(?!s))?\s*(?:(?P<s>[\d.]+)\s*(?P<unit>ms|s))",
    re.I,
)
_WRAPPING = re.compile(r"(?:litellm\.)?\w*(?:Error|Exception|Timeout): |\w+Exception - ")


class ProviderFailed(CallFailed):
    """One try of a call that failed.

    Attributes
    ----------
    again : bool
        Whether the same request can succeed later.
    wait : float or None
        Seconds that the provider asks to wait.
    refused_request : bool
        Whether the server understood the request and did not accept its form (400 or 422).
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        again: bool = False,
        wait: float | None = None,
        refused_request: bool = False,
    ):
        super().__init__(kind, message)
        self.again = again
        self.wait = wait
        self.refused_request = refused_request


def translate(error: Exception) -> ProviderFailed:
    """Build the failure for an exception of the client library; its message holds no key."""
    words = _words(error)
    name, status = type(error).__name__, _status(error)
    wait = _wait(error, words)

    def failed(kind: FailureKind, said: str, **more: Any) -> ProviderFailed:
        return ProviderFailed(kind, f"{said}: {words}" if words else said, **more)

    if isinstance(error, TimeoutError) or "Timeout" in name or status == 408:
        return failed(FailureKind.TIMEOUT, "no reply in time", again=True, wait=wait)
    if name == "ContextWindowExceededError" or (status in (400, 413, 422) and _TOO_LONG.search(words)):
        return failed(FailureKind.CONTEXT, "the request is longer than the model reads")
    if name == "ContentPolicyViolationError" or (status == 400 and _POLICY.search(words)):
        return failed(FailureKind.REFUSED, "the provider's filter refused the text")
    if name == "BudgetExceededError" or status == 402 or (status == 429 and wait is None and _NO_MONEY.search(words)):
        return failed(FailureKind.QUOTA, "the account's quota is used up")
    if status == 429:
        return failed(FailureKind.RATE_LIMIT, "too many requests", again=True, wait=wait)
    if status in (401, 403) or (status == 400 and _NO_KEY.search(words)) or "AuthenticationError" in name:
        return failed(FailureKind.AUTH, "the provider does not accept the key")
    if status == 404:
        return failed(FailureKind.NETWORK, "the server does not know this model or address (404)")
    if status in (400, 422) or "BadRequest" in name:
        return failed(FailureKind.NETWORK, f"the server refused the request ({status or 400})", refused_request=True)
    if status is not None or "Connection" in name or isinstance(error, OSError):
        # litellm reports a connection that could not be made, or was cut, and a body that is no JSON, as status 500.
        return failed(FailureKind.NETWORK, "network or server error", again=True, wait=wait)
    return failed(FailureKind.INTERNAL, f"unexpected error ({name})")


def _status(error: Exception) -> int | None:
    try:
        return int(getattr(error, "status_code", None) or 0) or None
    except (TypeError, ValueError):
        return None


def _words(error: Exception) -> str:
    text = " ".join(str(getattr(error, "message", None) or error).split())
    while (shorter := _WRAPPING.sub("", text, count=1)) != text:
        text = shorter
    text = scrubbed(text)
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def _wait(error: Exception, words: str) -> float | None:
    """Seconds to wait, from the headers of the reply or from its words."""
    for holder in (getattr(error, "response", None), error):
        headers = getattr(holder, "headers", None)
        if headers:
            found = retry_after({str(name).lower(): str(value) for name, value in dict(headers).items()})
            if found is not None:
                return found
    said = _TRY_IN.search(words)
    if said is None:
        return None
    seconds = float(said["s"].rstrip(".") or 0) / (1000 if said["unit"].lower() == "ms" else 1)
    return seconds + 60 * float(said["m"] or 0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from ``retry-after-ms`` or ``retry-after`` (a number or an HTTP date); None if there is neither."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if "retry-after" not in headers:
            return None
        given = headers["retry-after"].strip()
        if given.replace(".", "", 1).isdigit():
            return float(given)
        when = parsedate_to_datetime(given)
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
