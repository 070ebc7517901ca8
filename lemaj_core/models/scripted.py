"""A model whose replies were written beforehand: for tests, demonstrations and the replay of recorded runs.

It asks nobody. Replies are queued, and ``history`` holds what was asked, so that a test reads the questions too.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lemaj_core.errors import CallFailed, SettingsError
from lemaj_core.types import FailureKind, Reply, Request


@dataclass(frozen=True, slots=True)
class Line:
    """One prepared reply: for requests that contain ``match``, or for any. ``fail`` raises instead of replying."""

    reply: Reply = field(default_factory=lambda: Reply(""))
    match: str | None = None
    fail: FailureKind | None = None
    seconds: float = 0.0


class ScriptedModel:
    """Replies in the order in which they were queued.

    For each request the first unused line that matches is taken. When all lines that match are used, the last of them
    is said again, so that a run of many answers, or one that is resumed in a new process, needs one line.

    Parameters
    ----------
    lines : iterable of Line, Reply, str or FailureKind
        What to reply; a failure kind makes the call fail.
    """

    def __init__(self, lines: Iterable[Line | Reply | str | FailureKind] = ()):
        self.history: list[Request] = []
        self._lines: list[Line] = []
        self._used: set[int] = set()
        self.enqueue(*lines)

    def enqueue(self, *lines: Line | Reply | str | FailureKind) -> None:
        """Add replies behind those that wait."""
        for line in lines:
            if isinstance(line, FailureKind):  # before str, which it is as well
                line = Line(fail=line)
            elif isinstance(line, str):
                line = Line(Reply(line, finish_reason="stop"))
            elif isinstance(line, Reply):
                line = Line(line)
            self._lines.append(line)

    @classmethod
    def load(cls, path: str | Path) -> "ScriptedModel":
        """Read lines from a JSONL file.

        Each line is an object with ``reply`` (text, or an object that is sent as JSON) or ``fail`` (a failure kind),
        and optionally ``match``, ``finish_reason``, ``usage``, ``cost`` and ``seconds`` (how long the reply takes).

        Raises
        ------
        SettingsError
            If the file cannot be read or a line is not such an object.
        """
        try:
            rows = Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"the script {path} cannot be read: {error}") from error
        lines = [_line(row, f"{path}, line {number}") for number, row in enumerate(rows, start=1) if row.strip()]
        if not lines:
            raise SettingsError(f"the script {path} has no line")
        return cls(lines)

    async def complete(self, request: Request) -> Reply:
        """Reply to a request with the line that is due.

        Raises
        ------
        CallFailed
            If the line says so, or no line matches.
        """
        self.history.append(request)
        line = self._due("\n".join(message["content"] for message in request.messages))
        if line.seconds:
            await asyncio.sleep(line.seconds)
        if line.fail is not None:
            raise CallFailed(line.fail, f"the script fails here: {line.fail}")
        return line.reply

    def _due(self, asked: str) -> Line:
        matching = [index for index, line in enumerate(self._lines) if line.match is None or line.match in asked]
        if not matching:
            raise CallFailed(FailureKind.INTERNAL, "no line of the script matches the request")
        due = next((index for index in matching if index not in self._used), matching[-1])
        self._used.add(due)
        return self._lines[due]


def _line(row: str, where: str) -> Line:
    try:
        given: Any = json.loads(row)
        if not isinstance(given, Mapping) or ("reply" in given) == ("fail" in given):
            raise ValueError("it must be an object with either reply or fail")
        reply = given.get("reply", "")
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        seconds = float(given.get("seconds", 0))
        return Line(
            Reply(
                text,
                finish_reason=given.get("finish_reason", "stop"),
                usage=given.get("usage", {}),
                cost=given.get("cost"),
                seconds=seconds,
                model="scripted",
            ),
            match=given.get("match"),
            fail=FailureKind(given["fail"]) if "fail" in given else None,
            seconds=seconds,
        )
    except (ValueError, TypeError) as error:
        raise SettingsError(f"{where}: {error}") from error
