"""Opening archives that strangers made: what is too large, too many or too dense is refused before it is unpacked.

Nothing is ever written to disk, and no name from an archive is used as a path. XLSX and DOCX are archives too.
"""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from lemaj_core.errors import IngestError

MOST_FILES = 2000
MOST_BYTES = 500 << 20
MOST_BYTES_OF_ONE = 100 << 20
DENSEST = 200
"""Largest ratio of unpacked to packed size; text seldom passes 10, a zip bomb begins at 1,000."""

_DENSITY_MATTERS_FROM = 10 << 20
_WORTHLESS = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def open_archive(source: Path | bytes, name: str) -> zipfile.ZipFile:
    """Open a ZIP after looking at what it says of itself.

    Raises
    ------
    IngestError
        If it is damaged, needs a password, or would unpack to more than the limits.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(source) if isinstance(source, bytes) else source)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeError) as error:
        raise IngestError(f"{name}: the archive is damaged ({error}). Pack it again.") from error
    refusal = _refusal(archive.infolist())
    if refusal:
        archive.close()
        raise IngestError(f"{name}: {refusal}")
    return archive


def _refusal(members: list[zipfile.ZipInfo]) -> str | None:
    size, packed = sum(member.file_size for member in members), sum(member.compress_size for member in members)
    if len(members) > MOST_FILES:
        return f"the archive holds {len(members):,} files, more than {MOST_FILES:,}. Split it."
    if size > MOST_BYTES:
        return f"the archive unpacks to {size >> 20:,} MB, more than {MOST_BYTES >> 20:,} MB. Split it."
    if size > _DENSITY_MATTERS_FROM and size > DENSEST * max(packed, 1):
        return f"the archive unpacks to {size // max(packed, 1):,} times its size, which no text does; it is refused."
    if any(member.flag_bits & 1 for member in members):
        return "the archive needs a password. Pack it again without one."
    return None


def members(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield the files of an archive with clean names: no folders above, no drive, no control characters."""
    for member in archive.infolist():
        name = clean_name(_decoded(member))
        if not member.is_dir() and name and not any(part in _decoded(member) for part in _WORTHLESS):
            yield name, member


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int = MOST_BYTES_OF_ONE) -> bytes | None:
    """Read one file, at most ``limit`` bytes whatever its entry says; None when it is larger."""
    try:
        with archive.open(member) as stream:
            data = stream.read(limit + 1)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise IngestError(f"{clean_name(member.filename)}: damaged inside the archive ({error}).") from error
    except Exception as error:  # zlib, lzma and bz2 have errors of their own
        raise IngestError(f"{clean_name(member.filename)}: damaged inside the archive ({error}).") from error
    return data if len(data) <= limit else None


def clean_name(name: str) -> str:
    """Flatten a member's name to folders and file below the archive: "../../etc/passwd" is "etc/passwd"."""
    parts = name.replace("\\", "/").split("/")
    kept = ["".join(letter for letter in part if letter.isprintable()).strip() for part in parts]
    return "/".join(part for part in kept if part not in ("", ".", "..") and not part.endswith(":"))


def leads_away(member: zipfile.ZipInfo) -> bool:
    """Whether a member's name is a path out of the archive: one that begins at a root or a drive, or goes upwards."""
    parts = _decoded(member).replace("\\", "/").split("/")
    return parts[0] == "" or parts[0].endswith(":") or ".." in parts


def _decoded(member: zipfile.ZipInfo) -> str:
    # Without the UTF-8 flag zipfile reads names as cp437, although most programs wrote UTF-8.
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename
