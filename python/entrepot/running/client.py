"""Asking the process that keeps a warehouse's jobs going, where there is one."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from entrepot.answers import Printed, Screen
from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.running.note import own_version, read_note
from entrepot.running.question import Question
from entrepot.target import Place

# until it says that it has read the question
PATIENCE = 2.0
# from one word of it to the next: it says every second that it is at work (`entrepot.running.door.TELL`), and may be short of processors
SILENCE = 60.0


class RefusedError(EntrepotError):
    """What the other process says against a question, in its words."""


class MissingError(EnvironmentProblemError):
    """What it says is missing around it."""


def ask_running(
    place: Place, question: Question, screen: Screen, progress: Callable[[str], None] | None = None
) -> Printed | None:
    """Have a question answered by the `entrepot run` of a warehouse.

    None where there is none, none of this user and version, or one that does not answer: it has been killed, hangs, was stopped, or ends.
    Where it waits for a job, `progress` is told where that is.

    Raises:
        RefusedError, MissingError: the question cannot be answered; says what `Warehouse.query` would say here
    """
    note = read_note(place)
    if note is None or note.version != own_version():
        return None
    asked = {"version": own_version(), "question": question.as_values(), "screen": asdict(screen)}
    said = None
    with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        line.connect(note.socket)
        line.sendall(json.dumps(asked).encode() + b"\n")
        with line.makefile("rb") as replies:
            if json.loads(replies.readline()) == {"accepted": True}:
                line.settimeout(SILENCE)
                told, said = "", json.loads(replies.readline())
                while "progress" in said:
                    if progress is not None and said["progress"] not in ("", told):
                        told = str(said["progress"])
                        progress(told)
                    said = json.loads(replies.readline())
    return _told(said) if isinstance(said, dict) else None


def _told(said: dict[str, Any]) -> Printed | None:
    if "refused" in said:
        problem, way_out = map(str, said["refused"])
        raise (MissingError if said["exit_code"] == MissingError.exit_code else RefusedError)(problem, way_out)
    return Printed(said["out"], said["err"]) if "out" in said else None
