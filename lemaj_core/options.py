"""Settings of a run as KEY=VALUE words: how the command line reads those that have no option of their own.

Pure; it knows which settings there are from their type and says what is wrong with a word.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lemaj_core.errors import SettingsError
from lemaj_core.types import RunSettings

CHOICES: dict[str, tuple[str, ...]] = {
    "preset": ("legal", "hazard", "own"),
    "all_na": ("undefined", "zero"),
    "cu_mode": ("exact", "fast"),
}
LISTS = ("vote_models", "proxies")
COLUMNS = ("paraphrase_column", "perturbation_column")
KEYS = (*CHOICES, "dimensions", "votes", "deadline", *LISTS, *COLUMNS)


def mapping(pairs: Sequence[str] | None) -> dict[str, str] | None:
    """Read FIELD=COLUMN pairs; None where there are none.

    Raises
    ------
    SettingsError
        If a pair has no equals sign.
    """
    for pair in pairs or ():
        if "=" not in pair:
            raise SettingsError(f"--map {pair!r} must be FIELD=COLUMN, for example question=prompt")
    return dict(pair.split("=", 1) for pair in pairs) if pairs else None


def with_words(settings: RunSettings, words: Sequence[str]) -> RunSettings:
    """Give the settings as KEY=VALUE words change them.

    Parameters
    ----------
    settings : RunSettings
        What holds where no word says otherwise.
    words : sequence of str
        ``preset=hazard``, ``dimensions=party:0.7,date:0.3`` (which makes the preset "own"), ``votes=5``,
        ``proxies=packaged,NAME`` and so on; a later word wins.

    Raises
    ------
    SettingsError
        If a word is no KEY=VALUE, there is no such key, or a value does not fit.
    """
    changed: dict[str, Any] = {}
    for word in words:
        key, sign, value = word.partition("=")
        key = key.strip().replace("-", "_")
        if not sign or key not in KEYS:
            raise SettingsError(f"--set {word!r} must be KEY=VALUE with one of the keys {', '.join(KEYS)}")
        changed[key] = _read(key, value.strip())
    if changed.get("dimensions"):
        changed.setdefault("preset", "own")
    found = replace(settings, **changed)
    if found.preset == "own" and not found.dimensions:
        raise SettingsError("preset=own needs dimensions with weights, for example dimensions=party:0.7,date:0.3")
    return found


def as_words(settings: RunSettings) -> list[str]:
    """Write what differs from the defaults as KEY=VALUE words; reading them gives the same settings."""
    plain = RunSettings()
    words = []
    for key in KEYS:
        value = getattr(settings, key)
        if value == getattr(plain, key):
            continue
        if key == "dimensions":
            value = ",".join(f"{name}:{weight}" for name, weight in value.items())
        elif key in LISTS:
            value = ",".join(value)
        words.append(f"{key}={value or ''}")
    return words


def _read(key: str, value: str) -> Any:
    if key in CHOICES:
        if value not in CHOICES[key]:
            raise SettingsError(f"{key} is {value!r}; it must be {' or '.join(CHOICES[key])}")
        return value
    if key == "votes":
        if not value.isdecimal() or not 1 <= int(value) <= 25:
            raise SettingsError(f"votes is {value!r}; it must be a whole number from 1 to 25")
        return int(value)
    if key == "deadline":
        try:
            minutes = float(value)
        except ValueError:
            minutes = math.nan
        if not 0 < minutes < math.inf:
            raise SettingsError(f"deadline is {value!r}; it must be a number of minutes above 0")
        return minutes
    if key in LISTS:
        return tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
    if key == "dimensions":
        return dict(_weighted(part) for part in value.split(",") if part.strip())
    return value or None


def _weighted(part: str) -> tuple[str, float]:
    name, sign, weight = part.rpartition(":")
    if not sign:
        return part.strip(), 1.0
    try:
        number = float(weight)
    except ValueError:
        number = math.nan
    if not name.strip() or not 0 <= number < math.inf:
        raise SettingsError(f"dimension {part.strip()!r} must be NAME:WEIGHT with a weight of 0 or more")
    return name.strip(), number
