"""Collects what the owner of a file should know: every left-out row, and every kind of oddity without repeating it.

A row that is left out is always listed. A warning (the row was kept) is listed for the first rows only, because
20,000 equal sentences help nobody; their number is said at the end.
"""

from dataclasses import dataclass, field

from lemaj_core.types import Problem

_LISTED = 200


@dataclass(slots=True)
class Notes:
    """The problems of one file, in the order in which they were met."""

    file: str | None = None
    _problems: list[Problem] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def left_out(self, message: str, *, row: int | None = None, column: str | None = None) -> None:
        """Say that a row, or a whole file, was left out."""
        self._problems.append(Problem(message, "error", self.file, row, column))

    def warn(self, kind: str, message: str, *, row: int | None = None, column: str | None = None) -> None:
        """Say that something was kept but may not be what its owner meant; ``kind`` names what repeats."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] <= _LISTED:
            self._problems.append(Problem(message, "warning", self.file, row, column))

    def once(self, kind: str, message: str, *, row: int | None = None, column: str | None = None) -> None:
        """Say something about the whole file, the first time only."""
        if kind not in self._counts:
            self.warn(kind, message, row=row, column=column)

    def add(self, problems: list[Problem]) -> None:
        """Take over problems that were met elsewhere."""
        self._problems.extend(problems)

    def problems(self) -> tuple[Problem, ...]:
        """Give all problems, with a last one for each kind that was cut short."""
        more = [
            Problem(f"{kind}: {count - _LISTED:,} more rows, not listed here", "warning", self.file)
            for kind, count in self._counts.items()
            if count > _LISTED
        ]
        return (*self._problems, *more)
