"""The manufacturing execution system: machines, their states, production runs and quality checks."""

# ruff: noqa: RUF001  (names and remarks in many scripts are the point)

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from random import Random

from recorder.steelworks.catalog import (
    EQUIPMENT,
    ITEMS,
    LATE_EQUIPMENT,
    LATE_ITEM,
    NEW_CODE,
    OLD_CODE,
    Equipment,
)
from recorder.steelworks.clock import BEGINNING, END, evening, hours, later, opening, second_phase
from recorder.steelworks.orders import KEY_CHANGE
from recorder.steelworks.schema import PLANT
from recorder.steelworks.steps import Change, Statement, Step, Transaction, delete, insert, update

PLANT_KEY_CHANGE = KEY_CHANGE + hours(1)
REMARKS = (
    None,
    None,
    None,
    "",
    "ok",
    "surface: fine cracks, “star” pattern",
    "Walzhaut, s. Foto\t#7",
    "O'Brien checked twice",
)
INSPECTORS = ("M. Yılmaz", "J. O'Hara", "", None, "S. Größl")
FIRST_STATUS, FIRST_PRODUCTION, FIRST_QUALITY = 1, 7_001, 40_001


@dataclass
class _Machine:
    """What the planner remembers of one machine: the open interval and its changes so far, by time."""

    equipment: Equipment
    changes: dict[datetime, list[Change]] = field(default_factory=dict)

    def at(self, moment: datetime, change: Change) -> None:
        self.changes.setdefault(moment, []).append(change)


@dataclass
class _Interval:
    equipment: Equipment
    status: str
    begins: datetime
    ends: datetime


@dataclass
class _Run:
    equipment: Equipment
    code: str
    begins: datetime
    ends: datetime


def shift_steps(random: Random) -> list[Step]:
    """States, runs and quality checks of all machines; one transaction per machine and moment."""
    intervals: list[_Interval] = []
    runs: list[_Run] = []
    for equipment in EQUIPMENT:
        own = _intervals(random, equipment)
        intervals += own
        for interval in own:
            if interval.status == "on":
                runs += [run for run in _runs(random, interval) if run.begins < END]
    machines = {equipment.number: _Machine(equipment) for equipment in EQUIPMENT}
    _add_states(machines, intervals)
    checks = _add_runs(random, machines, runs)
    steps: list[Step] = [
        Transaction(moment, PLANT, tuple(_newest_open_last(changes)))
        for machine in machines.values()
        for moment, changes in machine.changes.items()
    ]
    return steps + checks


def _intervals(random: Random, equipment: Equipment) -> list[_Interval]:
    """Set up, on, sometimes off, without gaps or overlaps; the last interval reaches past the end of the story."""
    intervals: list[_Interval] = []
    moment = BEGINNING + hours(0.1 * equipment.number)
    while moment < END:
        for status, least, most in (("setup", 0.3, 1.2), ("on", 4.5, 7.5), ("off", 1.5, 4.5)):
            if moment >= END or (status == "off" and random.random() < 0.45):
                continue
            ends = later(random, moment, least, most)
            intervals.append(_Interval(equipment, status, moment, ends))
            moment = ends
    return intervals


def _runs(random: Random, interval: _Interval) -> list[_Run]:
    middle = interval.begins + (interval.ends - interval.begins) * random.choice((0.4, 0.5, 0.6))
    middle = middle.replace(microsecond=0)
    parts = (
        [(interval.begins, middle), (middle, interval.ends)]
        if random.random() < 0.5
        else [(interval.begins, interval.ends)]
    )
    return [_Run(interval.equipment, random.choice(interval.equipment.codes), begins, ends) for begins, ends in parts]


def _add_states(machines: dict[int, _Machine], intervals: list[_Interval]) -> None:
    for number, interval in enumerate(
        sorted(intervals, key=lambda one: (one.begins, one.equipment.number)), FIRST_STATUS
    ):
        machine = machines[interval.equipment.number]
        values = {"equipment_id": interval.equipment.number, "status": interval.status, "started_at": interval.begins}
        machine.at(interval.begins, insert("mes.equipment_status", status_id=number, **values))
        if interval.ends < END:
            machine.at(interval.ends, update("mes.equipment_status", {"status_id": number}, ended_at=interval.ends))


def _add_runs(random: Random, machines: dict[int, _Machine], runs: list[_Run]) -> list[Step]:
    """Begin and end of the runs, and the quality checks that follow."""
    checks: list[Step] = []
    quality_id = FIRST_QUALITY
    ordered = sorted(runs, key=lambda one: (one.begins, one.equipment.number))
    for production_id, run in enumerate(ordered, FIRST_PRODUCTION):
        machine = machines[run.equipment.number]
        code = NEW_CODE if run.code == OLD_CODE and run.begins >= PLANT_KEY_CHANGE else run.code
        values = {"equipment_id": run.equipment.number, "item_code": code, "started_at": run.begins}
        machine.at(run.begins, insert("mes.production", production_id=production_id, **values))
        if run.ends >= END:
            continue
        duration = (run.ends - run.begins).total_seconds() / 3600
        pieces = max(1, int(run.equipment.max_speed * duration * random.uniform(0.72, 0.99)))
        machine.at(
            run.ends, update("mes.production", {"production_id": production_id}, ended_at=run.ends, pieces=pieces)
        )
        at = later(random, run.ends, 0.2, 2.5)
        if at >= END or random.random() < 0.06:
            continue
        checks += _check(random, quality_id, production_id, pieces, at)
        quality_id += 1
    return checks


def _check(random: Random, quality_id: int, production_id: int, pieces: int, at: datetime) -> list[Step]:
    inspected = min(pieces, random.choice((20, 32, 50, 80)))
    rejected = min(inspected, random.choice((0, 0, 0, 1, 1, 2, 5)))
    row = insert(
        "mes.quality",
        quality_id=quality_id,
        production_id=production_id,
        inspected=inspected,
        rejected=rejected,
        inspected_at=at,
        remark=random.choice(REMARKS),
        inspector=random.choice(INSPECTORS),
    )
    steps: list[Step] = [Transaction(at, PLANT, (row,))]
    correction = later(random, at, 0.5, 6)
    if correction < END and random.random() < 0.08:
        again = update(
            "mes.quality",
            {"quality_id": quality_id},
            rejected=min(inspected, rejected + 1),
            remark="second look: one more",
        )
        steps.append(Transaction(correction, PLANT, (again,)))
    elif correction < END and random.random() < 0.04:
        steps.append(Transaction(correction, PLANT, (delete("mes.quality", quality_id=quality_id),)))
    return steps


def _newest_open_last(changes: list[Change]) -> list[Change]:
    """Close what ends before opening what begins."""
    return sorted(changes, key=lambda change: change.kind == "insert")


def equipment_steps() -> list[Step]:
    """The machines' own rows."""
    rows = {machine.number: _equipment(machine) for machine in EQUIPMENT}
    present = tuple(row for number, row in rows.items() if number != LATE_EQUIPMENT)

    def change(number: int, **values: object) -> tuple[Change, ...]:
        return (update("mes.equipment", {"equipment_id": number}, **values),)

    return [
        Transaction(BEGINNING, PLANT, present),
        Transaction(opening(6), PLANT, change(2, max_speed=422.75)),
        Transaction(opening(24), PLANT, change(4, commissioned_on="1979-10-01", max_speed=8.6)),
        Transaction(second_phase(1), PLANT, change(1, max_speed=95.0)),
        Transaction(second_phase(11), PLANT, change(3, line="long products (hall 2)", max_speed=20.1)),
        Transaction(second_phase(21), PLANT, change(5, name="Cold heading press", max_speed=35500.5)),
        Transaction(evening(4), PLANT, (rows[LATE_EQUIPMENT],)),
        Transaction(evening(8), PLANT, change(6, max_speed=66.0)),
    ]


def material_steps() -> list[Step]:
    """``mes.material`` feeds the same business entity as ``sales.item``; the last item comes in phase 3 only."""
    rows = {item.code: item for item in ITEMS}
    early = tuple(_material(code) for code in list(rows)[:20])
    fourth = Decimal("14.796000")
    return [
        Transaction(BEGINNING, PLANT, early),
        Transaction(opening(1.5), PLANT, tuple(_material(code) for code in list(rows)[20:22])),
        Transaction(opening(14), PLANT, tuple(_material(code) for code in list(rows)[22:24])),
        Transaction(opening(20), PLANT, (update("mes.material", {"item_code": OLD_CODE}, weight_per_piece=fourth),)),
        Transaction(opening(27), PLANT, (update("mes.material", {"item_code": "SHT-15"}, properties=None),)),
        Transaction(
            PLANT_KEY_CHANGE,
            PLANT,
            (
                update("mes.material", {"item_code": OLD_CODE}, item_code=NEW_CODE),
                # runs that are still going on take the new code with them
                Statement(
                    "update mes.production set item_code = %s where item_code = %s and ended_at is null",
                    (NEW_CODE, OLD_CODE),
                ),
            ),
        ),
        Transaction(
            second_phase(13),
            PLANT,
            (update("mes.material", {"item_code": "HRC-300"}, weight_per_piece=Decimal("300.00")),),
        ),
        Transaction(second_phase(19), PLANT, (update("mes.material", {"item_code": NEW_CODE}, steel_grade="C45E"),)),
        Transaction(evening(6), PLANT, (_material(LATE_ITEM),)),
    ]


def _equipment(machine: Equipment) -> Change:
    return insert(
        "mes.equipment",
        equipment_id=machine.number,
        name=machine.name,
        line=machine.line,
        max_speed=machine.max_speed,
        commissioned_on=machine.commissioned_on,
    )


def _material(code: str) -> Change:
    item = next(item for item in ITEMS if item.code == code)
    weight = None if code == "HRC-300" else item.weight
    return insert(
        "mes.material", item_code=code, steel_grade=item.grade, weight_per_piece=weight, properties=item.properties
    )
