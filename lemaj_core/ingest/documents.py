"""Documents that answers are checked against: TXT, MD, DOCX and PDF files, folders and ZIPs of them.

A document that cannot be read is a `Problem` that names it, and the others are read; an archive or a path that
cannot be opened at all is an `IngestError`. Names are kept as they are given.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from lemaj_core.errors import IngestError
from lemaj_core.ingest import archives
from lemaj_core.ingest.docx_text import docx_text
from lemaj_core.ingest.encoding import decode
from lemaj_core.ingest.pdf_text import pdf_text
from lemaj_core.text import normalise
from lemaj_core.types import Document, Problem

Source = str | Path | Iterable[str | Path]

MOST_CHARACTERS = 10_000_000
"""Longest text of one document; a contract of 300 pages has about one million."""

_TEXTS = (".txt", ".md", ".markdown", ".text")
_KINDS = "TXT, MD, DOCX or PDF"


def read_documents(source: Source) -> tuple[list[Document], list[Problem]]:
    """Read documents from a file, a folder, a ZIP, or a list of them.

    Returns
    -------
    (list of Document, list of Problem)
        In the order given, folders by name. Ids follow from name and text.

    Raises
    ------
    IngestError
        If a path does not exist, or an archive is damaged, too large or too dense.
    """
    documents: dict[str, Document] = {}
    problems: list[Problem] = []
    names: set[str] = set()
    for name, data in _files(source, problems):
        try:
            text = _text(name, data, problems)
        except IngestError as error:
            problems.append(Problem(str(error), "error", name))
            continue
        document = make_document(name, text)
        if document.id in documents:
            problems.append(Problem(f"{name} was given twice; it is read once", "warning", name))
            continue
        if name in names:
            problems.append(
                Problem(f"another document is called {name} too; a row that names it gets the first", "warning", name)
            )
        names.add(name)
        documents[document.id] = document
    return list(documents.values()), problems


def make_document(name: str, text: str, type: str | None = None) -> Document:
    """Make a document whose id follows from its name, text and type, so that the same one has the same id anywhere."""
    key = "\0".join((name, type or "", text))
    return Document(f"doc-{hashlib.sha256(key.encode()).hexdigest()[:12]}", name, text, type)


def _files(source: Source, problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
    if not isinstance(source, (str, Path)):
        for part in source:
            yield from _files(part, problems)
        return
    path = Path(source)
    try:
        if path.is_dir():
            for inner in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in inner.relative_to(path).parts)
                if inner.is_file() and not hidden:
                    yield from _files(inner, problems)
        elif path.stat().st_size > archives.MOST_BYTES:
            raise IngestError(f"{path.name}: larger than {archives.MOST_BYTES >> 20} MB. Split it.")
        elif path.suffix.lower() == ".zip":
            yield from _unpacked(path, problems)
        else:
            yield path.name, path.read_bytes()
    except OSError as error:
        raise IngestError(f"{path.name}: the document cannot be opened ({error.strerror or error}).") from error


def _unpacked(path: Path, problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
    with archives.open_archive(path, path.name) as archive:
        members = [(name, member) for name, member in archives.members(archive)]
        bare = [name.rsplit("/", 1)[-1] for name, _ in members]
        for (full, member), short in zip(members, bare, strict=True):
            # Two files of one name in two folders keep their folders.
            name = full if bare.count(short) > 1 else short
            if archives.leads_away(member):
                said = f"{path.name}: {full} was packed with a path that leads out of the archive; it is read as {name}"
                problems.append(Problem(said, "warning", name))
            try:
                data = archives.read_member(archive, member)
            except IngestError as error:
                problems.append(Problem(str(error), "error", name))
                continue
            if data is None:
                limit = archives.MOST_BYTES_OF_ONE >> 20
                problems.append(Problem(f"{name}: larger than {limit} MB; it was left out", "error", name))
            else:
                yield name, data
        if not members:
            problems.append(Problem(f"{path.name}: the archive holds no file", "error", path.name))


def _text(name: str, data: bytes, problems: list[Problem]) -> str:
    """Give the normalised text of one file, or say why there is none."""
    ending = "." + name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise IngestError(f"{name}: an old or a password-protected Office file. Save it as DOCX without a password.")
    if data.startswith(b"%PDF") or ending == ".pdf":
        text = _pdf(name, data, problems)
    elif ending == ".docx":
        text = _docx(name, data)
    elif data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        raise IngestError(f"{name}: an archive inside an archive is not opened. Put its files into the ZIP directly.")
    elif ending in _TEXTS or not ending:
        text, encoding = decode(data, name)
        if encoding.note:
            problems.append(Problem(encoding.note, "warning", name))
    else:
        raise IngestError(f"{name}: {ending.lstrip('.').upper()} files are not read. Save it as {_KINDS}.")
    text = normalise(text).strip("\ufeff")
    if not text.strip():
        raise IngestError(f"{name}: there is no text in it; it was left out.")
    if len(text) > MOST_CHARACTERS:
        raise IngestError(f"{name}: {len(text):,} characters, more than {MOST_CHARACTERS:,}. Split it.")
    return text


def _pdf(name: str, data: bytes, problems: list[Problem]) -> str:
    found = pdf_text(data, name)
    if len(found.empty) == found.pages:
        raise IngestError(f"{name}: the PDF holds only pictures of its pages. Run text recognition (OCR) on it first.")
    if found.empty:
        pages = ", ".join(map(str, found.empty[:10])) + (" …" if len(found.empty) > 10 else "")
        problems.append(Problem(f"{name}: {len(found.empty)} of {found.pages} pages have no text: {pages}", file=name))
    return found.text


def _docx(name: str, data: bytes) -> str:
    archives.open_archive(data, name).close()
    try:
        return docx_text(data)
    except Exception as error:  # python-docx raises KeyError, ValueError, XML errors and its own
        raise IngestError(f"{name}: the Word file is damaged ({str(error)[:120]}). Save it again in Word.") from error
