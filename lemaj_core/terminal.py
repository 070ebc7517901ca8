"""What the command line prints: JSON lines, tables and a progress bar. It decides nothing and reads no store."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd

out, err = Console(highlight=False), Console(stderr=True, highlight=False)


def say(value: Any) -> None:
    """Print one JSON object on one line; NaN never leaves."""
    out.file.write(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value.item() if hasattr(value, "item") else str(value)


def print_problems(problems, most: int = 50) -> None:
    """Print problems with file, row and column on standard error."""
    for problem in problems[:most]:
        said = problem.message.removeprefix(f"{problem.file}: ")
        place = ", ".join(str(p) for p in (problem.file, problem.row and f"row {problem.row}", problem.column) if p)
        err.print(f"{problem.severity}: {place}: {said}", markup=False)
    if len(problems) > most:
        err.print(f"... and {len(problems) - most} more (inspect --json lists all)")


def print_inspection(name: str, found) -> None:
    """Print what a file is, which column is which field, and every problem."""
    kind = ", ".join(str(part) for part in (found.format, found.encoding, found.layout) if part)
    out.print(f"{name}: {kind}, {found.rows} rows", markup=False)
    for field, column in found.mapping.items():
        out.print(f"  {field:18} <- {column}", markup=False)
    print_problems(found.problems)


def print_plan(found, as_json: bool) -> None:
    """Print calls, tokens and price of a run before it starts."""
    if as_json:
        say(asdict(found))
        return
    price = "price unknown" if found.cost is None else f"{found.cost:.2f} USD"
    out.print(
        f"{found.calls} calls ({found.cached} of them already answered), {found.tokens_in} tokens in, "
        f"about {found.tokens_out} out, {price}"
    )


def print_summary(found: dict[str, Any]) -> None:
    """Print counts and a table of means with their interval."""
    counts = found["answers"]
    out.print(", ".join(f"{count} {state}" for state, count in counts.items()))
    out.print(", ".join(f"{count} {tag}" for tag, count in found["tags"].items()))
    table = Table("metric", "mean", "95 % interval", "scored", "undefined", "failed", box=None)
    for key, mean in found["metrics"].items():
        value = "—" if mean["mean"] is None else f"{mean['mean']:.2f}"
        interval = "—" if mean["low"] is None else f"[{mean['low']:.2f}, {mean['high']:.2f}]"
        table.add_row(key, value, interval, *(str(mean[f"n_{n}"]) for n in ("scored", "undefined", "failed")))
    out.print(table)


def print_failures(answers: "pd.DataFrame") -> None:
    """Print each kind of failure with its count and the reason of its first answer, on standard error."""
    failed = answers[answers["status"] == "failed"]
    for (judge, kind), group in failed.groupby(["judge", "failure"], sort=False):
        first = group.iloc[0]
        err.print(f"{judge}: {len(group)} failed ({kind}); answer {first['item_id']}: {first['reason']}", markup=False)


def print_runs(found: list) -> None:
    """Print one line per run."""
    table = Table("run", "name", "data set", "judges", "state", "done", "failed", box=None)
    for one in found:
        judges = ", ".join(one.settings.judges)
        table.add_row(
            *map(escape, (one.id, one.name, one.dataset_name, judges, one.state)),
            f"{one.done} / {one.total}",
            str(one.failed),
        )
    out.print(table) if found else out.print("no runs yet: `run FILE` or `demo`")


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error; call what it yields with the number done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as shown:
        task = shown.add_task(label, total=total)
        yield lambda done: shown.update(task, completed=done)
