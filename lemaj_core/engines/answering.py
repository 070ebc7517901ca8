"""One answer, judged and examined: whatever goes wrong is that answer's failure, and a stop is no failure.

It stores nothing and computes no score.
"""

import logging
import traceback
from collections.abc import Sequence
from dataclasses import replace

from lemaj_core.engines.asking import Asking
from lemaj_core.engines.halt import Stopped
from lemaj_core.engines.local import Due
from lemaj_core.errors import CallFailed, LemajError, SpendCapReached
from lemaj_core.judge import Judge, examine
from lemaj_core.models.secrets import scrubbed
from lemaj_core.store import check_points
from lemaj_core.types import Document, FailureKind, Finding, Item, Judgement, Status

log = logging.getLogger(__name__)


async def judged(
    judge: Judge | None, due: Due, item: Item, document: Document | None, asking: Asking, tries: int
) -> Judgement | None:
    """Ask a judge; None if the run is to stop. Whatever else goes wrong is that answer's failure only."""
    if judge is None:
        return Judgement(item.id, due.judge, Status.SCORED)
    try:
        found = await judge.judge(item, document, asking.ask, repeat=tries)
        documents = {document.id: document} if document else {}
        check_points(found.points, item.answer, documents, f"judge {due.judge}")
    except (Stopped, SpendCapReached):
        return None
    except Exception as error:
        reason = _told(error, f"judge {due.judge}", due)
        found = Judgement(due.item_id, due.judge, Status.FAILED, (), FailureKind.INTERNAL, reason)
    # a judge that took the stop for a failed call must not be believed
    if asking.stopped:
        return None
    return replace(found, item_id=due.item_id, judge=due.judge, calls=found.calls or tuple(asking.keys))


async def examined(
    examiners: Sequence[examine.Examiner], due: Due, item: Item, document: Document | None, asking: Asking, tries: int
) -> list[Finding] | None:
    """Have an answer examined for every other group; None if the run is to stop. A failure is that group's only."""
    found: list[Finding] = []
    for examiner in examiners:
        try:
            given = await examiner.examine(item, document, asking.ask, repeat=tries)
            several = [given] if isinstance(given, Finding) else list(given)
        except (Stopped, SpendCapReached):
            return None
        except Exception as error:
            reason = _told(error, f"{examiner.group} by {due.judge}", due)
            kind = _kind(error)
            several = [Finding(item.id, examiner.group, due.judge, Status.FAILED, {}, kind, reason)]
        if asking.stopped:
            return None
        found += [replace(one, item_id=due.item_id) for one in several]
    return found


def _kind(error: Exception) -> FailureKind:
    return FailureKind(error.kind) if isinstance(error, CallFailed) else FailureKind.INTERNAL


def _told(error: Exception, who: str, due: Due) -> str:
    """Log what went wrong with one answer, and give the sentence that is kept; keys are in neither."""
    trace = scrubbed("".join(traceback.format_exception(error)))
    log.error("%s failed on answer %s\n%s", who, due.item_id, trace)
    return scrubbed(str(error) if isinstance(error, LemajError) else f"{type(error).__name__}: {error}")
