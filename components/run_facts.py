"""What is said of a run: its state, its cost, why answers failed and what to do about it. Pure; draws nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from components.amounts import count, span
from components.words import money
from lemaj_core.types import FailureKind, Run, RunState

SLOW_REPLY = 30.0
"""Seconds without a reply after which the page says when a call is given up."""

STARTING = 120.0
"""Seconds that a new run may take to give its first sign of life: the child process loads its models first."""


@dataclass(frozen=True, slots=True)
class Look:
    """Word, icon and Streamlit colour name of a state, and what it means for the user."""

    word: str
    icon: str
    colour: Literal["gray", "blue", "orange", "green"]
    meaning: str = ""


LOOKS: dict[RunState, Look] = {
    RunState.WAITING: Look("not started", ":material/schedule:", "gray", "No process works on it. Start it again."),
    RunState.RUNNING: Look("running", ":material/sync:", "blue"),
    RunState.INTERRUPTED: Look(
        "interrupted",
        ":material/power_off:",
        "orange",
        "Its process ended before all answers were done. What was judged is kept; Resume asks only for the rest.",
    ),
    RunState.CANCELLED: Look(
        "cancelled", ":material/cancel:", "gray", "What was judged is kept; Resume asks only for the rest."
    ),
    RunState.CAPPED: Look(
        "at spend cap",
        ":material/savings:",
        "orange",
        "The next call could have cost more than the cap. What was judged is kept; Resume goes on with a higher cap.",
    ),
    RunState.FINISHED: Look("finished", ":material/check_circle:", "green"),
}
LOADING = "The process loads its models; the first answer takes some seconds."
FAILED = "Failed answers have no score: they count in no mean and are never cleared."
STARTING_LOOK = Look("starting", ":material/sync:", "blue", LOADING)

ADVICE: dict[FailureKind, str] = {
    FailureKind.MALFORMED: "The reply was no valid list of data points, not even after one repair. Retrying asks anew.",
    FailureKind.EMPTY: "The model sent nothing. Retrying asks anew.",
    FailureKind.TRUNCATED: "The reply was cut off. Retry, or choose a model with a longer output.",
    FailureKind.REFUSED: "The model declined to answer. Another judge may not.",
    FailureKind.CONTEXT: "Answer and document are longer than the model reads. Choose a model with a larger context.",
    FailureKind.TIMEOUT: "No reply in time. Retry with fewer calls at once, or later.",
    FailureKind.RATE_LIMIT: "The provider asked to slow down. Retry later, or with fewer calls at once.",
    FailureKind.QUOTA: "The provider's quota is used up. Retry when it is renewed.",
    FailureKind.AUTH: "The key is missing or was refused. Set the key, then retry.",
    FailureKind.NETWORK: "The provider could not be reached or had an error. Retry.",
    FailureKind.INTERNAL: "An error in this program; the log says where. The other answers are not affected.",
}


def look(run: Run, *, started: bool = False) -> Look:
    """Return how to show a run; ``started`` when its process lives but has given no sign yet."""
    if started and run.state is not RunState.RUNNING:
        return STARTING_LOOK
    if run.state is RunState.FINISHED and run.failed:
        return Look(f"finished, {run.failed:,} failed", ":material/error:", "orange", FAILED)
    return LOOKS[run.state]


def may_be_starting(run: Run, now: datetime | None = None) -> bool:
    """Whether a waiting run is so young that its process may still be loading."""
    age = ((now or datetime.now(UTC)) - run.created).total_seconds()
    return run.state is RunState.WAITING and age < STARTING


def cost_text(progress: Any, judges: Sequence[str]) -> str:
    """Return what the run has cost so far: free, a price, or tokens and 'price unknown'."""
    if all(judge == "offline" for judge in judges):
        return "free: nothing left this machine"
    tokens = f"{progress.tokens_in:,} tokens in, {progress.tokens_out:,} out"
    return f"{tokens}, {'price unknown' if progress.cost is None else money(progress.cost)}"


def last_reply_text(progress: Any, timeout: float, now: datetime | None = None) -> str | None:
    """Return when the last reply came, or None before the first; after a while also when a call is given up."""
    if progress.last_reply is None:
        return None
    seconds = ((now or datetime.now(UTC)) - progress.last_reply).total_seconds()
    patience = f", a call is given up after {span(timeout)}" if seconds > SLOW_REPLY else ""
    return f"last reply {span(seconds)} ago{patience}"


def bar_text(done: int, total: int, rate: float | None, left: float | None) -> str:
    """Return ``37 of 72 answers · 2.1 a second · about 17 s left``."""
    parts = [f"{done:,} of {count(total, 'answer')}"]
    if rate is not None:
        parts.append(f"{rate:.1f} a second" if rate >= 1 else f"{rate * 60:.1f} a minute")
    if left is not None and done < total:
        parts.append(f"about {span(left)} left")
    return " · ".join(parts)


def failure_rows(failures: dict[FailureKind, int]) -> list[tuple[FailureKind, int, str]]:
    """Return the kinds of failures, the most frequent first, each with advice."""
    ordered = sorted(failures.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(FailureKind(kind), number, ADVICE[FailureKind(kind)]) for kind, number in ordered if number]
