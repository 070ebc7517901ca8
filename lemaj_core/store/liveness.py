"""Whether a process that once wrote to the store is still there, and still the same one.

A process id alone is not enough: it is used again after a while, and a dead child keeps its id until it is collected.
Where /proc exists the start time settles both; elsewhere the id has to do, together with the heartbeat.
"""

import os
import socket
from pathlib import Path


def host() -> str:
    """Name this machine; process ids mean nothing on another one."""
    return socket.gethostname()


def started(pid: int) -> str | None:
    """Tell when a process began, in the machine's own ticks; None if it is gone or the machine does not say."""
    fields = _stat(pid)
    return fields[19] if fields else None


def alive(pid: int | None, since: str | None = None) -> bool:
    """Whether the process runs, and began at ``since`` where that is known."""
    if not pid or pid < 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is there and belongs to somebody else
    fields = _stat(pid)
    if fields is None:
        return not Path("/proc/self/stat").exists()
    state, began = fields[0], fields[19]
    return state not in ("Z", "X") and (since is None or since == began)


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # the name of the program stands in brackets and may itself hold brackets and blanks
    return text[text.rindex(")") + 2 :].split()
