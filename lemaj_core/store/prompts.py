"""Prompts in the store: every wording that a judge was asked with, by version, so that no score outlives its words.

A wording is kept when it is written on the page or first asked with, and no run that is deleted takes it along.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import JSON, Column, Table, select

from lemaj_core.errors import StoreError
from lemaj_core.store.columns import Moment, Words
from lemaj_core.store.connection import StoreConnection, now
from lemaj_core.store.tables import metadata
from lemaj_core.text import wording
from lemaj_core.text.wording import Wording
from lemaj_core.types import juror

table = Table(
    "prompts",
    metadata,
    Column("version", Words, primary_key=True),
    Column("created", Moment, nullable=False),
    Column("note", Words, nullable=False),
    Column("pieces", JSON, nullable=False),
)


class KeptPrompt(NamedTuple):
    """A wording with the time it was kept and what its author noted."""

    version: str
    created: datetime
    note: str
    words: Wording


class Prompts(StoreConnection):
    """Keeping and finding wordings."""

    def keep_prompt(self, words: Wording, note: str = "") -> str:
        """Keep a wording and give its version; one that is there already stays as it is."""
        version = wording.version(words)
        row = {"version": version, "created": now(), "note": note, "pieces": dict(words)}
        with self.read() as connection:
            if connection.scalar(select(table.c.version).where(table.c.version == version)):
                return version
        with self.write() as connection:
            connection.execute(self.insert_new(table), row)
        return version

    def prompts(self) -> list[KeptPrompt]:
        """Give every wording that was kept, the newest first."""
        with self.read() as connection:
            rows = connection.execute(select(table).order_by(table.c.created.desc(), table.c.version)).all()
        return [KeptPrompt(row.version, row.created, row.note, row.pieces) for row in rows]

    def wording_of(self, judge: str) -> Wording | None:
        """Give the wording that a judge's name stands for; None for the product's own.

        Raises
        ------
        StoreError
            If the name has a version that this store does not know.
        """
        version = juror(judge).prompt
        if version is None or version == wording.version(wording.builtin()):
            return None
        with self.read() as connection:
            pieces = connection.scalar(select(table.c.pieces).where(table.c.version == version))
        if pieces is None:
            known = ", ".join(kept.version for kept in self.prompts()) or "none"
            raise StoreError(f"there is no prompt {version} in {self.where}; it holds {known}")
        words: Wording = pieces
        return words
