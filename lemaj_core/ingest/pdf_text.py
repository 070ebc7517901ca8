"""The text layer of a PDF, page by page. A scan has none: no text is recognised in pictures here."""

import logging
from io import BytesIO
from typing import NamedTuple

from lemaj_core.errors import IngestError

_MOST_PAGES = 5000


class PdfText(NamedTuple):
    """The text of a PDF and the numbers of the pages that have none."""

    text: str
    pages: int
    empty: list[int]


def pdf_text(data: bytes, name: str) -> PdfText:
    """Read a PDF called ``name``.

    Raises
    ------
    IngestError
        If it needs a password, is damaged, or has more pages than any contract.
    """
    from pypdf import PdfReader

    # what it finds odd in a file is no sentence for the reader; what cannot be read is an error below
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(BytesIO(data))
        # Many PDFs are only protected against printing and open with an empty password.
        if reader.is_encrypted and not reader.decrypt(""):
            raise IngestError(f"{name}: the PDF needs a password. Save it without one.")
        if len(reader.pages) > _MOST_PAGES:
            raise IngestError(f"{name}: the PDF has {len(reader.pages):,} pages, more than {_MOST_PAGES:,}. Split it.")
        pages = [page.extract_text() or "" for page in reader.pages]
    except IngestError:
        raise
    except Exception as error:  # pypdf meets every kind of damage with an error of another kind
        raise IngestError(f"{name}: the PDF cannot be read ({type(error).__name__}: {str(error)[:120]}).") from error
    empty = [number for number, page in enumerate(pages, start=1) if not any(letter.isalnum() for letter in page)]
    return PdfText("\n".join(pages), len(pages), empty)
