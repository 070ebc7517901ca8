"""Uploaded files go to a folder beside the store at once, so that no file stays in the memory of the web process.

A file is written in pieces, hashed while it is written, never opened for anything else here and never executed. Its
name is cleaned and its folder is named by its hash: the same file twice is stored once. What is in the file is the
business of `lemaj_core.ingest`.
"""

import hashlib
import os
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lemaj_core import settings
from lemaj_core.errors import IngestError

TABLES = ("csv", "tsv", "xlsx", "json", "jsonl", "ndjson", "parquet", "txt")
DOCUMENTS = ("txt", "md", "docx", "pdf", "zip")
LIMIT = 60
"""Largest file in MB. ``server.maxUploadSize`` says the same to the browser."""
LONGEST_NAME = 240

_PIECE = 1 << 20
_REFUSED = frozenset('<>:"|?*')


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file in the workspace."""

    name: str
    path: Path
    bytes: int
    sha256: str


def folder(url: str | None = None) -> Path:
    """Return the workspace folder: beside a SQLite file, else in ``.lemaj/`` beside the program."""
    url = url or settings.store_url()
    beginning = "sqlite:///"
    if url.startswith(beginning) and url != beginning and not url.endswith(":memory:"):
        return Path(url.removeprefix(beginning)).expanduser().absolute().parent / "uploads"
    return settings.ROOT / ".lemaj" / "uploads"


def safe_name(name: str) -> str:
    """Return a file name without folders, control characters, or signs that a file system refuses.

    Everything else stays, because rows name their documents by it: ``EX-10.9_Content%20License (Final).txt``.

    Examples
    --------
    >>> safe_name("../../etc/Answers (März).csv")
    'Answers (März).csv'
    """
    name = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join("_" if sign in _REFUSED or not sign.isprintable() else sign for sign in name).strip(" .")
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > 8:
        return _cut(name) or "upload"
    return f"{_cut(stem) or 'upload'}.{ending.lower()}"


def _cut(stem: str) -> str:
    """Cut a name to what a file system takes: 255 bytes with the ending."""
    return stem.encode("utf-8", "replace")[:LONGEST_NAME].decode("utf-8", "ignore").strip(" .")


def save(stream: BinaryIO, name: str, *, url: str | None = None) -> SavedFile:
    """Write an upload to the workspace and say where it is.

    Raises
    ------
    IngestError
        If the file is empty, larger than `LIMIT` MB, or cannot be written.
    """
    name = safe_name(name)
    try:
        return _write(stream, name, folder(url))
    except OSError as error:
        raise IngestError(
            f"{name}: the file could not be stored ({error.strerror or error}). "
            "Free some space or check the rights of the folder beside the store, then upload it again."
        ) from error


def _write(stream: BinaryIO, name: str, place: Path) -> SavedFile:
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, written = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=place, prefix=".part-", delete=False) as part:
        try:
            while piece := stream.read(_PIECE):
                written += len(piece)
                if written > LIMIT << 20:
                    raise IngestError(
                        f"{name}: larger than {LIMIT} MB. Split it, or evaluate it from the command line: "
                        f"python -m lemaj_core run {name}"
                    )
                digest.update(piece)
                part.write(piece)
            if not written:
                raise IngestError(f"{name}: the file is empty. Choose another one.")
        except BaseException:
            part.close()
            Path(part.name).unlink(missing_ok=True)
            raise
    home = place / digest.hexdigest()[:16]
    home.mkdir(exist_ok=True, mode=0o700)
    os.replace(part.name, home / name)
    return SavedFile(name, home / name, written, digest.hexdigest())
