"""The log of `entrepot run`: a line for each job, and for the beginning and the end of the process, as text or as JSON."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timezone
from typing import Literal

import click

from entrepot.running.outcomes import Outcome, as_json_line, as_text

Form = Literal["text", "json"]


class Log:
    """Writes to standard output, whole lines at once."""

    def __init__(self, form: Form) -> None:
        """Say how."""
        self._form = form
        self._lock = threading.Lock()

    def job(self, outcome: Outcome) -> None:
        """Write the line of a job."""
        self._write(as_json_line(outcome) if self._form == "json" else as_text(outcome))

    def event(self, name: str, says: str) -> None:
        """Write that something has happened: `waiting`, `ready`, `progress`, `stopping`, `stopped`, `abandoned` or `spark is gone`."""
        now = datetime.now(timezone.utc)
        if self._form == "json":
            self._write(json.dumps({"at": now.isoformat(), "event": name, "says": says}, ensure_ascii=False))
        else:
            self._write(f"{now:%Y-%m-%d %H:%M:%S} UTC {name}: {says}")

    def _write(self, line: str) -> None:
        with self._lock:
            click.echo(line)
