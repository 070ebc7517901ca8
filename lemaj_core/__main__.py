"""The command line: ``python -m lemaj_core COMMAND``.

Every command works on the store named by ``--store`` or LEMAJ_STORE. Exit codes: 0 done, 1 a threshold is not met,
2 incomplete (cancelled, failed answers) or bad input. It computes nothing itself.
"""

import asyncio
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lemaj_core import commands, expert_commands, options, terminal
from lemaj_core import settings as places
from lemaj_core.errors import LemajError, SettingsError
from lemaj_core.metrics.table import GROUPS
from lemaj_core.terminal import bar, err, out, say
from lemaj_core.types import RunSettings, RunState, Strictness

app = typer.Typer(
    help="Check answers over contracts: Legal Data Points, scores, triage.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

StoreOption = Annotated[str | None, typer.Option("--store", envvar="LEMAJ_STORE", help="SQLAlchemy URL of the store.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
JudgeOption = Annotated[list[str] | None, typer.Option("--judge", help="offline, or any litellm model name; repeat.")]
StrictnessOption = Annotated[Strictness, typer.Option(help="How Relevance is judged.")]
BetaOption = Annotated[float, typer.Option(help="Weight of Recall in Relevance.")]
MetricsOption = Annotated[str, typer.Option(help=f"Groups of metrics, with commas: {', '.join(GROUPS)}, or all.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help=f"KEY=VALUE; repeat. {', '.join(options.KEYS)}.")]
OneJudge = Annotated[str | None, typer.Option("--judge", help="Which judge of the run; default: its first.")]
FileArgument = Annotated[Path, typer.Argument(help="CSV, TSV, XLSX, JSON, JSONL or Parquet; one row is one answer.")]
DocsOption = Annotated[Path | None, typer.Option("--docs", help="Folder, file or ZIP of TXT, MD, DOCX, PDF.")]
MapOption = Annotated[list[str] | None, typer.Option("--map", help="FIELD=COLUMN, as question=prompt; repeat.")]
SampleOption = Annotated[str, typer.Option(help="contracts, or hazard: eight questions on climate risk.")]
CORRECTNESS, RELEVANCE, MINUTES = "1", "0.80", 6.0


def _open(url: str | None):
    from lemaj_core.store import open_store

    return open_store(url or places.store_url())


def _settings(judge, metrics, strictness, beta, base_url, concurrency, max_cost, no_reference, words) -> RunSettings:
    found = RunSettings(
        judges=tuple(dict.fromkeys(name.strip() for name in judge or ["offline"])),
        metrics=tuple(part.strip() for part in metrics.split(",") if part.strip()),
        strictness=strictness,
        beta=beta,
        use_reference=not no_reference,
        base_url=base_url,
        concurrency=concurrency,
        max_cost=max_cost,
    )
    return options.with_words(found, words or [])


@app.command()
def inspect(
    file: FileArgument, docs: DocsOption = None, mapping: MapOption = None, as_json: JsonOption = False
) -> None:
    """Show format, encoding, rows, the guessed column mapping and every problem, without storing anything."""
    from lemaj_core import ingest

    found = ingest.inspect(file, docs, options.mapping(mapping))
    say(asdict(found)) if as_json else terminal.print_inspection(file.name, found)
    if not found.rows:
        raise typer.Exit(2)


@app.command()
def run(
    file: FileArgument,
    docs: DocsOption = None,
    mapping: MapOption = None,
    judge: JudgeOption = None,
    metrics: MetricsOption = "data_points",
    words: SetOption = None,
    name: Annotated[str | None, typer.Option(help="Name of the run.")] = None,
    strictness: StrictnessOption = Strictness.STANDARD,
    beta: BetaOption = 1.0,
    base_url: Annotated[str | None, typer.Option(help="Address of a self-hosted model.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Calls in flight.")] = 4,
    max_cost: Annotated[float | None, typer.Option(help="Stop before the run costs more, in USD.")] = None,
    no_reference: Annotated[bool, typer.Option(help="Do not show reference answers to the judge.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count calls, tokens and price; ask nothing.")] = False,
    engine: Annotated[str, typer.Option(help="Who executes: local.")] = "local",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Evaluate a file of answers and print the run id."""
    from lemaj_core import ingest, pipeline

    if engine != "local":
        raise SettingsError(f"engine {engine!r} is not available; this version has: local")
    chosen = _settings(judge, metrics, strictness, beta, base_url, concurrency, max_cost, no_reference, words)
    dataset = ingest.load_dataset(file, docs, options.mapping(mapping))
    if not as_json:
        terminal.print_problems(dataset.problems)
    pipeline.check(chosen, given=chosen.judges if dry_run else ())
    base = _open(store)
    if dry_run:
        terminal.print_plan(pipeline.plan(dataset, chosen, store=base), as_json)
        return
    run_id = base.create_run(base.add_dataset(dataset), chosen, name=name or file.stem)
    if not as_json:
        out.print(f"run {run_id}")
    _work(base, run_id, as_json)


@app.command()
def plan(
    dataset: Annotated[str, typer.Argument(help="Id of a stored data set.")],
    judge: JudgeOption = None,
    metrics: MetricsOption = "data_points",
    words: SetOption = None,
    strictness: StrictnessOption = Strictness.STANDARD,
    base_url: str | None = None,
    no_reference: bool = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the calls, tokens and price of evaluating a stored data set; asks no model."""
    from lemaj_core import pipeline

    base = _open(store)
    chosen = _settings(judge, metrics, strictness, 1.0, base_url, 4, None, no_reference, words)
    pipeline.check(chosen, given=chosen.judges)
    terminal.print_plan(pipeline.plan(base.dataset(dataset), chosen, store=base), as_json)


def _work(base, run_id: str, as_json: bool) -> None:
    """Work a run here with a bar on a terminal, and exit 2 unless every answer was judged."""
    from lemaj_core import pipeline

    try:
        if as_json or not err.is_terminal:
            pipeline.work(run_id, store=base)
        else:
            with bar("judging", base.run(run_id).total) as advance:
                pipeline.work(run_id, store=base, on_progress=lambda now: advance(now.done))
    except (KeyboardInterrupt, asyncio.CancelledError):
        # here, because the command line library would end with 130 and say nothing
        err.print(f"stopped; `resume {run_id}` goes on where it was")
        raise typer.Exit(2) from None
    done = base.run(run_id)
    if as_json:
        say({"run": run_id, "status": done.state, "total": done.total, "done": done.done, "failed": done.failed})
    else:
        out.print(f"{done.state}: {done.done} of {done.total} judged, {done.failed} failed")
        if done.failed:
            terminal.print_failures(base.answers(run_id))
    if done.state is not RunState.FINISHED or done.failed:
        raise typer.Exit(2)


def _judge_of(base, run_id: str, named: str | None) -> str:
    """Give the judge that was named, or the first of the run; one that did not judge here is an error, not no rows."""
    judges = base.run(run_id).settings.judges
    if named is not None and named not in judges:
        raise SettingsError(f"no judge {named!r} in run {run_id}; it was judged by {', '.join(judges)}")
    return named or judges[0]


RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Run id, as printed by `run` and `runs`.")]


@app.command()
def work(run_id: RunArgument, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Work a run until it is done, cancelled or capped: what the app starts as a child process."""
    _work(_open(store), run_id, as_json)


@app.command()
def resume(
    run_id: RunArgument,
    retry_failed: Annotated[bool, typer.Option(help="Ask again for answers that failed.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Go on with a run that was cancelled, capped or interrupted; no answered call is repeated."""
    base = _open(store)
    base.clear_cancel(run_id)
    if retry_failed:
        base.forget_failed(run_id)
    _work(base, run_id, as_json)


@app.command()
def cancel(run_id: RunArgument, store: StoreOption = None) -> None:
    """Stop a run after the call it is in; what is judged is kept."""
    base = _open(store)
    base.run(run_id)
    base.request_cancel(run_id)
    out.print(f"run {run_id} will stop after the call it is in")


@app.command()
def runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the runs, newest first."""
    found = _open(store).runs()
    if as_json:
        say({"runs": [asdict(one) for one in found]})
        return
    terminal.print_runs(found)


@app.command()
def summary(
    run_id: RunArgument, judge: OneJudge = None, store: StoreOption = None, as_json: JsonOption = False
) -> None:
    """Means with n, undefined, failed and interval."""
    from lemaj_core.analysis.summary import summarise

    base = _open(store)
    found = summarise(base.answers(run_id, judge=_judge_of(base, run_id, judge)))
    spent = base.progress(run_id)
    body = {"run": run_id, **found, "cost": spent.cost, "seconds": spent.seconds}
    say(body) if as_json else terminal.print_summary(found)


@app.command()
def export(
    run_id: RunArgument,
    path: Annotated[Path, typer.Argument(metavar="OUT", help="Ends in .csv, .jsonl, .parquet or .xlsx.")],
    judge: Annotated[str | None, typer.Option(help="Only this judge; default: all.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write results to a file, one row per answer with its data points."""
    from lemaj_core.analysis.export import write

    base = _open(store)
    rows = write(base, run_id, path, judge=judge and _judge_of(base, run_id, judge))
    say({"rows": rows, "path": str(path)}) if as_json else out.print(f"{rows} rows -> {path}", markup=False)


@app.command()
def triage(
    run_id: RunArgument,
    correctness: Annotated[str, typer.Option(help="Threshold of Correctness.")] = CORRECTNESS,
    relevance: Annotated[str, typer.Option(help="Threshold of Relevance.")] = RELEVANCE,
    minutes: Annotated[float, typer.Option(help="Minutes per review where the data has none.")] = MINUTES,
    judge: OneJudge = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which share could go out unread, the time that saves and the defects it lets through."""
    from lemaj_core.analysis.triage import decide

    base = _open(store)
    answers = base.answers(run_id, judge=_judge_of(base, run_id, judge))
    found = decide(answers, correctness, relevance, minutes=minutes)
    if as_json:
        say(found._asdict())
        return
    saved = "—" if found.time_saved is None else f"{found.time_saved:.1%}"
    out.print(f"cleared {found.cleared} of {found.total}; time saved {saved} ({found.minutes_saved:.0f} minutes)")
    out.print(found.sentence)


@app.command()
def demo(sample: SampleOption = "contracts", store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Load a constructed sample and judge it with the offline judge; does nothing when that is done."""
    from lemaj_core.ingest.sample import demonstration

    base = _open(store)
    dataset, chosen, name = demonstration(sample, tuple(GROUPS))
    dataset_id = base.add_dataset(dataset)
    earlier = [one for one in base.runs() if one.dataset_id == dataset_id and one.settings == chosen]
    run_id = earlier[0].id if earlier else base.create_run(dataset_id, chosen, name=name)
    if not as_json:
        out.print(f"sample data: run {run_id} (constructed sample, offline judge)")
    _work(base, run_id, as_json)


for command in (commands.jury, commands.prompts, expert_commands.agreement):
    app.command()(command)
app.add_typer(expert_commands.annotations, name="annotations")


def main() -> None:
    """Run the command; an error meant for the user is one sentence on standard error and exit code 2."""
    try:
        app()
    except LemajError as error:
        err.print(f"error: {error}", markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()
