"""What waits for a person: the figures of a view with `meta: {entrepot: {concern: …}}`, as they stand in the books."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

REASONS_KEPT = 3
# of a view that is none; NULL is what older versions have left
NO_CONCERN = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was counted of one view when a snapshot was published.

    Attributes:
        says: what is counted, such as `unmapped events`
        total: how many there are; None where they could not be counted
        reasons: the commonest reasons and how many each has, most first
        more_reasons: how many further reasons there are
        problem: why they could not be counted, in Spark's words
    """

    says: str
    total: int | None = None
    reasons: tuple[tuple[str | None, int], ...] = ()
    more_reasons: int = 0
    problem: str | None = None

    @classmethod
    def of(cls, says: str, amounts: Mapping[str | None, int]) -> Figures:
        """Return the figures of all reasons, {reason: how many}.

        >>> Figures.of("late", {"a": 1, "b": 3, "c": 1, "d": 1})
        Figures(says='late', total=6, reasons=(('b', 3), ('a', 1), ('c', 1)), more_reasons=1, problem=None)
        """
        ordered = sorted(amounts.items(), key=lambda one: (-one[1], one[0] or ""))
        kept = tuple(ordered[:REASONS_KEPT])
        return cls(says, sum(amounts.values()), kept, len(ordered) - len(kept))

    @classmethod
    def told(cls, text: str) -> Figures:
        """Return figures from the text that `render` gave."""
        values: dict[str, Any] = json.loads(text)
        values["reasons"] = tuple((reason, amount) for reason, amount in values.get("reasons", ()))
        return cls(**values)

    def render(self) -> str:
        """Return the figures as JSON, without what is not there.

        >>> Figures("late", 4, (("lost", 4),)).render()
        '{"says": "late", "total": 4, "reasons": [["lost", 4]]}'
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps(
            {field.name: values[field.name] for field in fields(self) if values[field.name] != field.default}
        )
