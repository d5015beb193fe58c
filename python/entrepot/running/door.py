"""The door for queries: a Unix socket, a question a connection, lines of JSON (`entrepot.running.client` is the other side).

Back come `accepted`, then every second a word that it is being answered, of a question that waits for a job with where that is, and then the answer.
"""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

from entrepot.answers import Printed, Screen
from entrepot.errors import EntrepotError
from entrepot.running.note import own_version
from entrepot.running.question import Question

Answering = Callable[[Question, Screen], Printed]
# how often who waits is told that this process lives, and where the job is, in seconds
TELL = 1.0
LONGEST = 16 * 1024 * 1024


class QueryFigures:
    """How many queries were answered and refused, and what they took.

    Attributes:
        count: {answered, refused or failed: how many}
        seconds: all of them together
    """

    def __init__(self) -> None:
        """Begin at nothing."""
        self.count = {"answered": 0, "refused": 0, "failed": 0}
        self.seconds = 0.0
        self._lock = threading.Lock()

    def note(self, came_to: str, seconds: float) -> None:
        """Note one query."""
        with self._lock:
            self.count[came_to] += 1
            self.seconds += seconds


class Door(socketserver.ThreadingUnixStreamServer):
    """Listens for questions."""

    # who is being answered when the process ends gets the answer
    daemon_threads = False
    # those that come at once wait for one another
    request_queue_size = 64

    def __init__(
        self, path: Path, answering: Answering, figures: QueryFigures, progress: Callable[[], str] = str
    ) -> None:
        """Listen at a path, in a folder that only this user may enter; `progress` says where the running job is, empty where none runs."""
        self.answering, self.figures, self.progress = answering, figures, progress
        super().__init__(str(path), _Visit)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let those go that have hung up, or said what is no question."""


class _Visit(socketserver.StreamRequestHandler):
    """One question."""

    server: Door
    # who connects and says nothing, or takes nothing
    timeout = 60

    def handle(self) -> None:
        """Read the question, say so, and answer it."""
        asked = json.loads(self.rfile.readline(LONGEST))
        if asked["version"] != own_version():
            return
        question, screen = Question.of_values(asked["question"]), Screen(**asked["screen"])
        self._say({"accepted": True})
        began = time.monotonic()
        came_to, said = self._answered(question, screen)
        self.server.figures.note(came_to, time.monotonic() - began)
        self._say(said)

    def _answered(self, question: Question, screen: Screen) -> tuple[str, dict[str, Any]]:
        """Answer a question, and tell meanwhile that it is being answered, and where the job is that it may wait for."""
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(_said, self.server.answering, question, screen)
            while not wait([coming], TELL).done:
                with suppress(OSError):  # who has hung up; what it came to counts all the same
                    self._say({"progress": self.server.progress() if question.is_bound else ""})
            return coming.result()

    def _say(self, what: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(what).encode() + b"\n")
        self.wfile.flush()


def _said(answering: Answering, question: Question, screen: Screen) -> tuple[str, dict[str, Any]]:
    """Return what a question came to, and what is said to who has asked."""
    try:
        answer = answering(question, screen)
    except EntrepotError as error:
        return "refused", {"refused": (error.problem, error.way_out), "exit_code": error.exit_code}
    except Exception:
        # not foreseen: the other side asks a Spark of its own, and has the same error or none
        return "failed", {}
    return "answered", {"out": answer.out, "err": answer.err}
