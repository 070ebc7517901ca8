"""Commands about experts: their labels in and out of the store, and how far a judge agrees with them.

The command line (``__main__``) adds them to its own. They compute nothing themselves.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from lemaj_core import settings as places
from lemaj_core.errors import SettingsError
from lemaj_core.terminal import out, say

StoreOption = Annotated[str | None, typer.Option("--store", envvar="LEMAJ_STORE", help="SQLAlchemy URL of the store.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
RunOption = Annotated[str | None, typer.Option("--run", help="The labels of this run's data set.")]
DatasetOption = Annotated[str | None, typer.Option("--dataset", help="The labels of this data set.")]

annotations = typer.Typer(help="Expert labels in and out, as JSONL or CSV.", no_args_is_help=True)


def _open(url: str | None):
    from lemaj_core.store import open_store

    return open_store(url or places.store_url())


def _dataset(base: Any, run: str | None, dataset: str | None) -> str:
    if (run is None) == (dataset is None):
        raise SettingsError("say whose labels: either --run RUN or --dataset DATASET")
    if run is not None:
        return str(base.run(run).dataset_id)
    known = [one.id for one in base.datasets()]
    if dataset not in known:
        raise SettingsError(f"there is no data set {dataset!r}; the store holds {', '.join(known) or 'none'}")
    return str(dataset)


@annotations.command("import")
def take_in(
    file: Annotated[Path, typer.Argument(help="Ends in .jsonl or .csv, as `annotations export` writes it.")],
    run: RunOption = None,
    dataset: DatasetOption = None,
    overwrite: Annotated[bool, typer.Option(help="Replace labels of the same answer and annotator.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read expert labels into the store, all or none; those that are there already stay as they are."""
    from lemaj_core.analysis import label_files

    base = _open(store)
    dataset_id = _dataset(base, run, dataset)
    labels = label_files.read(
        file, lambda item_id: base.item(dataset_id, item_id), lambda name: base.document(dataset_id, name)
    )
    new = base.add_labels(dataset_id, labels, overwrite=overwrite)
    finished = sum(label.finished is not None for label in labels)
    if as_json:
        say({"dataset": dataset_id, "labels": len(labels), "new": new, "finished": finished})
    else:
        out.print(f"{len(labels)} labels, {new} of them new, {finished} finished (only those count)", markup=False)


@annotations.command("export")
def give_out(
    path: Annotated[Path, typer.Argument(metavar="OUT", help="Ends in .jsonl or .csv.")],
    run: RunOption = None,
    dataset: DatasetOption = None,
    annotator: Annotated[str | None, typer.Option(help="Only this annotator.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the expert labels made on the Annotate page or imported, finished and unfinished."""
    from lemaj_core.analysis import label_files

    base = _open(store)
    count = label_files.write(base.labels(_dataset(base, run, dataset), annotator), path)
    say({"labels": count, "path": str(path)}) if as_json else out.print(f"{count} labels -> {path}", markup=False)


def agreement(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Run id, as printed by `run` and `runs`.")],
    expert: Annotated[
        str | None, typer.Option("--with", help="An annotator, or a file of labels; default: scores of the file.")
    ] = None,
    judge: Annotated[str | None, typer.Option("--judge", help="Which judge of the run; default: its first.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a judge with an expert: correlation, bucketed accuracy, bias, and data points by tag."""
    from lemaj_core.analysis import expert_agreement, label_files

    base = _open(store)
    run = base.run(run_id)
    if judge is not None and judge not in run.settings.judges:
        raise SettingsError(f"no judge {judge!r} in run {run_id}; it was judged by {', '.join(run.settings.judges)}")
    labels = None
    if expert is not None and Path(expert).suffix.lower() in label_files.FORMATS:
        read = label_files.read(
            Path(expert),
            lambda item_id: base.item(run.dataset_id, item_id),
            lambda name: base.document(run.dataset_id, name),
        )
        labels = [label.annotation() for label in read if label.finished]
        expert = None
    found = expert_agreement.compare(base, run, judge or run.settings.judges[0], expert, labels)
    if as_json:
        say(found)
    else:
        for line in expert_agreement.sentences(found):
            out.print(line, markup=False)
    if not found["n"]:
        raise typer.Exit(2)
