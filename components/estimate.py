"""Calls, tokens and price before a run, counted by a child process: the web process loads no model library."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lemaj_core import settings
from lemaj_core.errors import SettingsError
from lemaj_core.options import as_words
from lemaj_core.types import RunSettings

PATIENCE = 180
"""Seconds after which counting is given up; 20,000 answers take some ten."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would ask for. ``cost`` is None when a price is unknown, and ``unpriced`` names the models."""

    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    unpriced: tuple[str, ...] = ()


def command(dataset_id: str, chosen: RunSettings) -> list[str]:
    """Return the command that counts; it holds no key."""
    words = [sys.executable, "-m", "lemaj_core", "plan", dataset_id, "--json", "--store", settings.store_url()]
    for judge in chosen.judges:
        words += ["--judge", judge]
    words += ["--metrics", ",".join(chosen.metrics), "--strictness", str(chosen.strictness)]
    for word in as_words(chosen):
        words += ["--set", word]
    if chosen.base_url:
        words += ["--base-url", chosen.base_url]
    return words if chosen.use_reference else [*words, "--no-reference"]


def estimate(dataset_id: str, chosen: RunSettings) -> Estimate:
    """Count the calls, tokens and price of evaluating a stored data set.

    Raises
    ------
    SettingsError
        If the judge does not exist, or nothing could be counted in time.
    """
    try:
        done = subprocess.run(
            command(dataset_id, chosen),
            cwd=settings.ROOT,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SettingsError(
            f"Counting took more than {PATIENCE} s and was given up. You can start all the same, with a spend cap."
        ) from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise SettingsError(lines[-1].removeprefix("error: "))
    return read(json.loads(done.stdout.strip().splitlines()[-1]))


def read(found: Mapping[str, Any]) -> Estimate:
    """Read the JSON object that the command prints."""
    return Estimate(
        calls=found["calls"],
        cached=found["cached"],
        tokens_in=found["tokens_in"],
        tokens_out=found["tokens_out"],
        cost=found["cost"],
        unpriced=tuple(found.get("unpriced", ())),
    )
