"""A question as `entrepot query` has it, on its way to the process that answers it, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from entrepot.answers import Form, Printed, Screen, printed

if TYPE_CHECKING:
    from entrepot.warehouse import Chosen, Warehouse

CURRENCY = re.compile(r"\bcurrency\s+bound\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; the arguments of `Warehouse.query`, and the form of the answer."""

    sql: str
    form: Form = "table"
    max_age: timedelta | None = None
    as_of: datetime | None = None
    stale_ok: bool = False
    wait: timedelta = timedelta(minutes=5)
    snapshot: str | None = None

    @property
    def is_bound(self) -> bool:
        """Whether it says how fresh its answer has to be, so that it may wait for a job."""
        return self.max_age is not None or self.as_of is not None or CURRENCY.search(self.sql) is not None

    def choose(self, warehouse: Warehouse) -> Chosen:
        """Choose the snapshot of a warehouse that answers it; raises what `Warehouse.choose` does."""
        return warehouse.choose(
            self.sql,
            max_age=self.max_age,
            as_of=self.as_of,
            stale_ok=self.stale_ok,
            wait=self.wait,
            snapshot=self.snapshot,
        )

    def as_values(self) -> dict[str, Any]:
        """Return it as values that JSON has."""
        return {
            "sql": self.sql,
            "form": self.form,
            "max_age": None if self.max_age is None else self.max_age.total_seconds(),
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "stale_ok": self.stale_ok,
            "wait": self.wait.total_seconds(),
            "snapshot": self.snapshot,
        }

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Question:
        """Return what `as_values` has written.

        >>> asked = Question("select 1", max_age=timedelta(minutes=1), as_of=datetime(2026, 1, 2))
        >>> Question.of_values(asked.as_values()) == asked
        True
        """
        max_age, as_of = values["max_age"], values["as_of"]
        return cls(
            values["sql"],
            values["form"],
            None if max_age is None else timedelta(seconds=max_age),
            None if as_of is None else datetime.fromisoformat(as_of),
            values["stale_ok"],
            timedelta(seconds=values["wait"]),
            values["snapshot"],
        )


def answered(place: Mapping[str, Any], question: Question, screen: Screen) -> Printed:
    """Answer a question in this process, which starts a Spark of its own.

    Args:
        place: project_dir, profiles_dir and target, as the command line has them
        question: what is asked
        screen: what the answer will be shown on

    Raises:
        EntrepotError: whatever `Warehouse.query` raises
    """
    from entrepot.warehouse import Warehouse

    warehouse = Warehouse(**place)
    return printed(warehouse.read(question.choose(warehouse)), question.form, screen)
