"""The store: data sets, runs, judgements, and the ledger of every call. The only SQL of the project.

It computes no score and asks no model. Everything is keyed by id, never by position; what a page shows of a run is
derived from rows, so a process may be killed at any moment.
"""

from lemaj_core.store.connection import default_url
from lemaj_core.store.datasets import Datasets
from lemaj_core.store.frames import Frames
from lemaj_core.store.labels import Label
from lemaj_core.store.ledger import Ledger, PastCall
from lemaj_core.store.offsets import check_points
from lemaj_core.store.prompts import KeptPrompt
from lemaj_core.store.records import DatasetInfo, Progress
from lemaj_core.store.results import Results
from lemaj_core.store.spending import Spending, Spent

__all__ = ["DatasetInfo", "KeptPrompt", "Label", "PastCall", "Progress", "Spent", "Store", "check_points", "open_store"]


class Store(Datasets, Results, Ledger, Spending, Frames):
    """An open store. Safe to share between threads; use :func:`open_store`."""


def open_store(url: str | None = None) -> Store:
    """Open a store, making or updating its tables where needed.

    Parameters
    ----------
    url : str, optional
        ``sqlite:///PATH`` or ``postgresql://...``; by default ``LEMAJ_STORE`` or a file beside the program.

    Raises
    ------
    StoreError
        If it cannot be opened, or was written by a newer program.
    """
    return Store(url or default_url())
