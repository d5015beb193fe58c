"""Who holds the lock of jobs while a command writes."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from entrepot.dbt_project import project_settings, variable
from entrepot.errors import EntrepotError
from entrepot.ledger import Ledger, Lock
from entrepot.ledger.lock import MINUTES, Holder, this_process
from entrepot.spark.sentences import sentence
from entrepot.target import project_folder


def holder_of(place: Mapping[str, Any], command: str) -> Holder:
    """Return a command of this process as the holder of the lock, as patient with others as the project says (var entrepot_lock_minutes).

    Args:
        place: project_dir, profiles_dir and target, as the command line has them
        command: its name

    Raises:
        EntrepotError: the project says something else than minutes
    """
    told = variable(project_settings(project_folder(place.get("project_dir"))), "entrepot_lock_minutes")
    try:
        minutes = MINUTES if told is None else float(told)
    except (TypeError, ValueError):
        raise EntrepotError(f"entrepot_lock_minutes is {told!r}.", "Write minutes, such as 10.") from None
    return Holder(str(uuid.uuid4()), command, minutes, is_alone=False, process=this_process())


@contextmanager
def held(ledger: Ledger, place: Mapping[str, Any], command: str) -> Iterator[Lock]:
    """Hold the lock of jobs; where it is given back after a failure, the books keep what that was.

    Takes what `holder_of` does, and raises what that and `Ledger.begin` raise.
    """
    lock, reason = ledger.begin(holder_of(place, command)), None
    try:
        yield lock
    except BaseException as error:
        reason = reason_of(error)
        raise
    finally:
        ledger.tell(None)
        lock.release("finished" if reason is None else "failed", reason)


def reason_of(error: BaseException) -> str:
    """Return on one line why a command has failed.

    >>> reason_of(EntrepotError("The disk is full.", "Make room.")), reason_of(KeyboardInterrupt())
    ('The disk is full.', 'interrupted')
    """
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return error.problem if isinstance(error, EntrepotError) else " ".join(sentence(error).split()) or repr(error)
