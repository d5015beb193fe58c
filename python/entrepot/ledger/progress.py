"""Where a running job is: a small file beside the books, replaced whole, so that telling it costs no commit and no statement."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from entrepot.spans import age, as_json_moment, humanized

FILE = "progress.json"


@dataclass(frozen=True, slots=True)
class Step:
    """A model, seed, snapshot or test of a job.

    Attributes:
        name: its name
        at: when it began, or ended where it has, UTC
        says: what came of it, as dbt's line has it: rule and rows; none while it runs
    """

    name: str
    at: datetime
    says: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a running job is.

    Attributes:
        job: the job's id
        number: its place in the chain
        place: dbt's place of the step that began last
        total: how many steps dbt counts, models and tests
        running: the steps that run, the oldest first: so many as dbt has threads at most
        last: the model, seed or snapshot that ended last; none before the first
    """

    job: str
    number: int
    place: int
    total: int
    running: tuple[Step, ...] = ()
    last: Step | None = None

    def __str__(self) -> str:
        """Return it as a person reads it.

        >>> from entrepot.ledger.records import EPOCH
        >>> str(Progress("j", 9, 12, 97, (Step("fct_payment", EPOCH), Step("dim_item", EPOCH))))
        '12 of 97, fct_payment, dim_item'
        """
        return ", ".join([f"{self.place} of {self.total}", *(step.name for step in self.running)])

    @property
    def sentence(self) -> str:
        """The same with since when, and what the last model came to."""
        steps = [f"{step.name} for {humanized(age(step.at))}" for step in self.running]
        last = f"; before that {self.last.name}, {self.last.says}" if self.last else ""
        return f"Job {self.number} is at {', '.join([f'{self.place} of {self.total}', *steps])}{last}."

    def values(self) -> dict[str, Any]:
        """Return it as values that JSON has, without whose it is."""
        return {
            "place": self.place,
            "total": self.total,
            "running": [{"name": step.name, "began_at": as_json_moment(step.at)} for step in self.running],
            "last": self.last
            and {"name": self.last.name, "says": self.last.says, "ended_at": as_json_moment(self.last.at)},
        }


def write_progress(folder: Path, progress: Progress) -> None:
    """Tell where a job is; whoever reads it reads it whole. On a disk that refuses it, nobody is told."""
    file = folder / FILE
    new = file.with_suffix(".new")
    with contextlib.suppress(OSError):
        new.unlink(missing_ok=True)
        new.write_text(json.dumps({"job": progress.job, "number": progress.number, **progress.values()}))
        new.replace(file)


def remove_progress(folder: Path) -> None:
    """Tell that no job runs."""
    with contextlib.suppress(OSError):
        (folder / FILE).unlink(missing_ok=True)


def read_progress(folder: Path) -> Progress | None:
    """Return what was told last, which a killed job may have left; none where nothing is, or nobody can read it."""
    try:
        told = json.loads((folder / FILE).read_text())
        running = tuple(Step(one["name"], datetime.fromisoformat(one["began_at"])) for one in told["running"])
        last = told["last"] and Step(
            told["last"]["name"], datetime.fromisoformat(told["last"]["ended_at"]), told["last"]["says"]
        )
        return Progress(told["job"], told["number"], told["place"], told["total"], running, last)
    except (OSError, ValueError, KeyError, TypeError):
        return None
