"""How numbers and foreign text are written on every page: two decimals, one decimal of a percent, never "NaN".

Pure functions from values to strings; knows no page and draws nothing.
"""

import math
from typing import Any

from lemaj_core.types import Status

SPECIAL = str.maketrans({mark: "\\" + mark for mark in "\\`*_{}[]()#+-.!|<>~$:&"})
NOTHING = "—"


def plain(text: object) -> str:
    """Escape text of unknown origin so that Markdown shows it as it is: no image, no link, no colour, no formula."""
    return " ".join(str(text).split()).translate(SPECIAL)


def short(text: object, length: int = 60) -> str:
    """Cut text to a length, with an ellipsis where something is left out."""
    line = " ".join(str(text).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def number(value: float | None, digits: int = 2) -> str:
    """Write a score with two decimals; a dash where there is none."""
    return NOTHING if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def percent(share: float | None) -> str:
    """Write a share as a percentage with one decimal; a dash where there is none."""
    return NOTHING if share is None or not math.isfinite(share) else f"{100 * share:.1f} %"


def interval(mean: Any, digits: int = 2) -> str:
    """Write a mean as ``0.71 [0.64, 0.78], n = 72``; the brackets are left out where there is no interval."""
    between = "" if mean.low is None else f" [{mean.low:.{digits}f}, {mean.high:.{digits}f}]"
    return f"{number(mean.mean, digits)}{between}, n = {mean.n_scored:,}"


def left_out(mean: Any) -> str:
    """Say what a mean does not count: ``3 undefined, 1 failed``; empty when nothing was left out."""
    counts = ((mean.n_undefined, "undefined"), (mean.n_failed, "failed"))
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


def score(value: float | None, status: str | None, reason: str | None = None) -> str:
    """Write one score with its status: ``0.75``, ``undefined (no checkable statement)``, ``failed (timeout)``."""
    if status == Status.SCORED and value is not None and math.isfinite(value):
        return number(value)
    detail = f" ({reason})" if isinstance(reason, str) and reason else ""
    return f"{status or 'waiting'}{detail}"


def duration(minutes: float) -> str:
    """Write minutes as hours where they are many: ``45 min``, ``5.1 h``."""
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:,.1f} h"


def seconds(value: float | None) -> str:
    """Write seconds: ``8.2 s``, ``3 min 20 s``, ``1 h 05 min``."""
    if value is None:
        return NOTHING
    if value < 60:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def money(cost: float | None, unpriced: Any = ()) -> str:
    """Write US dollars; unknown prices are said, never counted as nothing."""
    if cost is None:
        names = ", ".join(map(str, unpriced))
        return "$? (no price known" + (f" for {names})" if names else ")")
    return "$0 (no paid call)" if cost == 0 else f"${cost:,.4f}" if cost < 1 else f"${cost:,.2f}"
