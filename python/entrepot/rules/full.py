"""Rule `full`: recompute, and write only what differs from the stored rows.

What is not fixed (chance, ties) is written as it is, by the one statement that evaluates it: a comparison may have to be made twice,
and would find other rows.
"""

from __future__ import annotations

from entrepot.rules.inputs import Facts, Task
from entrepot.rules.plan import Plan
from entrepot.rules.reading import Reading


def full_rule(task: Task, facts: Facts, reason: str) -> Plan:
    """Return the plan: all rows of the SELECT are to be there, and every stored key may have to leave."""
    reading = Reading(task, facts)
    stored = f"select {', '.join(task.keys)} from {reading.stored_model()}"
    return Plan("full", reason, upsert=reading.body(task.body), gone=stored, overwrites=not task.verdict.is_fixed)
