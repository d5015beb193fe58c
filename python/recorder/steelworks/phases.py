"""The whole story in order: what is there before the capture begins, and then phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from recorder.steelworks.clock import CAPTURE, PHASE_TWO, PHASES, Phase
from recorder.steelworks.masters import customer_steps, item_steps, outgoing_steps
from recorder.steelworks.orders import order_steps
from recorder.steelworks.plant import equipment_steps, material_steps, shift_steps
from recorder.steelworks.schema import SHOP_NEXT, schema_changes
from recorder.steelworks.specials import special_steps
from recorder.steelworks.steps import SchemaChange, Step


def story(seed: int) -> list[Step]:
    """Every step, in the order of the simulated clock; a schema change comes before writes of the same moment.

    Each part has a random stream of its own, so that a change to one part leaves the others as they were.
    """

    def stream(name: str) -> Random:
        return Random(f"{seed}/{name}")

    steps: list[Step] = [
        *schema_changes(),
        *customer_steps(stream("customers")),
        *item_steps(stream("items")),
        *order_steps(stream("orders")),
        *outgoing_steps(stream("outgoing")),
        *equipment_steps(),
        *material_steps(),
        *shift_steps(stream("shifts")),
        *special_steps(),
    ]
    return sorted(steps, key=lambda step: (step.at, not isinstance(step, SchemaChange)))


def already_there(steps: Sequence[Step], phase: Phase, database: str) -> list[Step]:
    """The steps of ``phase`` before the capture of ``database`` begins: Debezium sees their rows as a snapshot.

    Version 2 of the payment service exists, and has a few rows, when phase 2 begins.
    """
    begins = PHASE_TWO if database == SHOP_NEXT else CAPTURE
    return [
        step for step in steps if step.database == database and step.at < begins and phase is _first_phase(database)
    ]


def streamed(steps: Sequence[Step], phase: Phase) -> list[Step]:
    """The steps that happen in ``phase`` while Debezium follows, over all databases."""

    def begins(step: Step) -> bool:
        return step.at >= (PHASE_TWO if step.database == SHOP_NEXT else CAPTURE)

    return [step for step in steps if phase.begins <= step.at < phase.ends and begins(step)]


def databases(phase: Phase, names: Sequence[str]) -> list[str]:
    """The databases that exist in ``phase``."""
    return [name for name in names if PHASES.index(phase) >= PHASES.index(_first_phase(name))]


def _first_phase(database: str) -> Phase:
    return PHASES[1] if database == SHOP_NEXT else PHASES[0]
