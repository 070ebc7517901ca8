"""Keys of providers: where they come from, and how they are kept out of every message.

Keys are read from the environment when a call is made. They are never stored, logged, or put into an error.
"""

import json
import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from lemaj_core.errors import SettingsError

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|AIza|AKIA|ASIA|r8|pplx|nvapi)[-_]?[A-Za-z0-9_\-*.]{12,}"
    r"|(?i:bearer|basic)\s+[A-Za-z0-9_\-.~+/=]{8,}"
    r"|(?i:(?<=api[-_]key[=:])|(?<=[?&]key=)|(?<=[?&]token=))\s*[^\s&'\",}]+"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)
_SHORTEST = 8


def given_keys() -> Mapping[str, str]:
    """Keys per model from ``LEMAJ_KEYS``, a JSON object of model and key.

    Raises
    ------
    SettingsError
        If the variable is set and is no such object; its content is not shown.
    """
    raw = os.environ.get("LEMAJ_KEYS", "").strip()
    if not raw:
        return {}
    try:
        keys = json.loads(raw)
    except ValueError:
        keys = None
    if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
        raise SettingsError('LEMAJ_KEYS is not a JSON object of model and key, such as {"openai/gpt-4o": "..."}')
    return {model: key.strip() for model, key in keys.items() if key.strip()}


def key_for(model: str) -> str | None:
    """Key given for a model, or for its provider ("openai"); None leaves it to the provider's own variable."""
    keys = given_keys()
    return keys.get(model) or keys.get(model.partition("/")[0])


def own_address(base_url: str) -> bool:
    """Whether the environment itself names this address for its keys (``OPENAI_BASE_URL``, ``AZURE_API_BASE``, ...)."""
    named = {value.rstrip("/") for name, value in os.environ.items() if name.endswith(("_API_BASE", "_BASE_URL"))}
    return base_url.rstrip("/") in named


def scrubbed(message: str) -> str:
    """Message with every known key, and whatever looks like one, replaced by "[key]"."""
    known = set(given_keys().values()) | {
        value for name, value in os.environ.items() if _SECRET_NAME.search(name) and name != "LEMAJ_KEYS"
    }
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            message = message.replace(secret, "[key]")
    return _LOOKS_SECRET.sub("[key]", message)


def check_base_url(base_url: str | None) -> None:
    """Refuse a base URL that carries a password, because the URL is stored with the run.

    Raises
    ------
    SettingsError
        If the URL is no http address or holds a user name or password.
    """
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fits = False
    if not fits:
        raise SettingsError(f"the base URL {scrubbed(base_url)!r} is not an address such as http://localhost:8000/v1")
    if parts.username or parts.password:
        raise SettingsError("the base URL holds a user name or password; give the key apart, it is never stored")
