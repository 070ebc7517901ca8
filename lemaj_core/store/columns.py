"""Kinds of columns: text that every database takes, and points in time that keep their zone. No table stands here."""

import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Text, TypeDecorator

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Replace NUL and lone surrogates, which no database takes, by U+FFFD one for one, so that offsets stay true."""
    return _UNSTORABLE.sub("\ufffd", text) if _UNSTORABLE.search(text) else str(text)


class Words(TypeDecorator[str]):
    """Text that is safe to bind: a judge may send characters that cannot be encoded."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        """Bind a plain ``str`` (an enum member becomes its value)."""
        if type(value) is str and value.isascii() and "\x00" not in value:
            return value
        return None if value is None else storable(str(value))


class Moment(TypeDecorator[datetime]):
    """A point in time, UTC going in and coming out; SQLite forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Bind in UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Return with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
