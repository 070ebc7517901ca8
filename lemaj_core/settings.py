"""Where things are and what comes from the environment. Reads the environment when asked, never at import."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "data"


def store_url() -> str:
    """``LEMAJ_STORE`` or a SQLite file in ``.lemaj/`` beside the program."""
    return os.environ.get("LEMAJ_STORE") or f"sqlite:///{ROOT / '.lemaj' / 'store.db'}"


def cache_dir() -> Path:
    """``LEMAJ_CACHE`` or ``.lemaj/`` beside the program: what can be made again, such as converted models."""
    return Path(os.environ.get("LEMAJ_CACHE") or ROOT / ".lemaj")
