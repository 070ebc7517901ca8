"""Commands about judges: what a jury of them says, and the prompts they are asked with.

The command line (``__main__``) adds them to its own. They compute nothing themselves.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from lemaj_core import settings as places
from lemaj_core.errors import SettingsError
from lemaj_core.terminal import out, say
from lemaj_core.text import wording

StoreOption = Annotated[str | None, typer.Option("--store", envvar="LEMAJ_STORE", help="SQLAlchemy URL of the store.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _open(url: str | None):
    from lemaj_core.store import open_store

    return open_store(url or places.store_url())


def jury(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="A run with two or more judges.")],
    rule: Annotated[str, typer.Option(help="majority, unanimous or weighted.")] = "majority",
    weight: Annotated[list[str] | None, typer.Option(help="JUDGE=WEIGHT for weighted; repeat.")] = None,
    judge: Annotated[list[str] | None, typer.Option(help="Who sits; repeat; default: every judge.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let several judges decide each data point together; what is undecided goes to a person."""
    from lemaj_core.analysis import jury as bench
    from lemaj_core.analysis.jury_read import jurors_of, sit

    base = _open(store)
    sitting = jurors_of(base, run_id, judge or ())
    weights = _weights(weight or [], sitting)
    bench.decide({}, rule, weights)  # type: ignore[arg-type]  # refuses a rule that is none before anything is read
    heard = sit(base, run_id, sitting, rule, weights)  # type: ignore[arg-type]
    laid = bench.table(heard, sitting)
    repeated = [one._asdict() for one in bench.repeats(heard, sitting)]
    waiting = bench.queue(laid)
    agreed = laid["agreement"].dropna()
    mean = float(agreed.mean()) if len(agreed) else None
    lonely = bench.alone_counts(laid, sitting)
    body = {
        "run": run_id,
        "rule": rule,
        "jurors": sitting,
        "answers": int(laid["item_id"].nunique()),
        "points": len(laid),
        "undecided": int((laid["tag"] == bench.UNDECIDED).sum()),
        "agreement": mean,
        "alone": dict(zip(lonely["juror"], lonely["alone"].tolist(), strict=True)),
        "repeats": repeated,
        "queue": waiting,
    }
    if as_json:
        say(body)
        return
    out.print(f"{len(sitting)} jurors, {body['answers']} answers, {len(laid)} data points, by {rule}", markup=False)
    shared = "—" if mean is None else f"{mean:.1%}"
    out.print(f"{shared} of the pairs of votes agree; {body['undecided']} data points undecided", markup=False)
    for name, count in zip(lonely["juror"], lonely["alone"], strict=True):
        out.print(f"  {name}: alone {count} times", markup=False)
    for one in repeated:
        flips = "—" if one["flips"] is None else f"{one['flips']:.1%}"
        out.print(f"  {one['juror']} asked {one['repeats']} times: flip rate {flips}", markup=False)
    out.print(f"{len(waiting)} answers for a person" + (": " + ", ".join(waiting) if waiting else ""), markup=False)


def _weights(words: list[str], sitting: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for word in words:
        name, sign, value = word.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            sign = ""
            number = 0.0
        if not sign or name not in sitting:
            raise SettingsError(f"--weight {word!r} must be JUDGE=WEIGHT with one of {', '.join(sitting)}")
        found[name] = number
    return found


def prompts(
    show: Annotated[str | None, typer.Option(help="Print the prompt of this version; 'own' for the product's.")] = None,
    add: Annotated[Path | None, typer.Option(help="Keep the prompt in this file and print its version.")] = None,
    note: Annotated[str, typer.Option(help="What is different about it.")] = "",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List, show or add the prompts that judges are asked with; use one as --judge MODEL#VERSION."""
    base = _open(store)
    if add is not None:
        try:
            text = add.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{add} cannot be read as text: {error}") from error
        version = base.keep_prompt(wording.edited(text), note)
        say({"version": version}) if as_json else out.print(version, markup=False)
        return
    own = wording.version(wording.builtin())
    if show is not None:
        words = wording.builtin() if show == "own" else base.wording_of(f"model#{show}")
        if words is None and show != own:
            raise SettingsError(f"{show!r} is no version of a prompt; it has 12 hexadecimal digits")
        sys.stdout.write((words or wording.builtin())[wording.MAIN] + "\n")
        return
    found = [{"version": own, "note": "the product's own", "created": None}]
    found += [
        {"version": one.version, "note": one.note, "created": one.created.isoformat()}
        for one in base.prompts()
        if one.version != own
    ]
    if as_json:
        say({"prompts": found})
        return
    for one in found:
        out.print(f"{one['version']}  {(one['created'] or '')[:16]:16}  {one['note']}", markup=False)
