"""Counts, sizes and time spans as people read them on the Evaluate page. Pure."""


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 answer``, ``2 answers``, ``20,000 answers``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """Return a file size, for example ``1.5 MB``."""
    for unit, step in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if number >= step:
            return f"{number / step:.1f} {unit}"
    return count(number, "byte")


def span(seconds: float) -> str:
    """Return a time span in whole seconds, for example ``2 min 5 s``; a clock that goes back is 0 s."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
