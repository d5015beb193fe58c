"""The log of a source goes back (a restored server, a failover), and commit times that cannot be: what is newest stays newest."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row

from tests.landing.records import START, Line, Log, Position, message
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase

AT_NOON = START + timedelta(hours=4)


class Server(Log):
    """A log whose lines are written at a time and a position of one's own; `told` is the commit before, as the connector tells it."""

    def at(self, name: str, lsn: int, seconds: float, told: int | None = -1, op: str = "c", **envelope: Any) -> Line:
        at = AT_NOON + timedelta(seconds=seconds)
        told = lsn - 5 if told == -1 else told
        source = self.source("item", Position(told or 0, lsn, 1), at)
        if told is None:
            source["sequence"] = f'[null,"{lsn}"]'
        self.written[name], self.committed_at[name] = Position(told or lsn, lsn, 1), at
        value = {
            "op": op,
            "before": None,
            "after": {"id": 1, "name": name},
            "source": source,
            "transaction": {"id": str(lsn), "total_order": 1},
        }
        return Line(message(f"{self.system}.public.item", {"id": 1}, value | envelope), "change", name=name)

    def control(self, kind: str, seconds: float) -> Line:
        """A transaction's end, or a heartbeat, as Debezium sends it."""
        at = int((AT_NOON + timedelta(seconds=seconds)).timestamp() * 1000)
        if kind == "heartbeat":
            return Line(
                message(f"__debezium-heartbeat.{self.system}", {"serverName": self.system}, {"ts_ms": at}),
                "control",
                kind,
            )
        value = {"status": "END", "id": "7:100", "event_count": 1, "data_collections": [], "ts_ms": at}
        return Line(message(f"{self.system}.transaction", {"id": "7:100"}, value), "control", "transaction_end")


def system_of(line: Line) -> str:
    """The source of a line, by where it was sent to."""
    return line.text.split('"destination": "')[1].split('"')[0].removeprefix("__debezium-heartbeat.").split(".")[0]


class Epochs:
    """The landing part of the project, and the sources whose lines it is given."""

    def __init__(self, case: DbtCase, folder: Path) -> None:
        self.case, self.folder, self.files = case, folder, 0

    def arrive(self, *lines: Line) -> None:
        """One more file, whose name says nothing of its place in time."""
        self.files += 1
        (self.folder / f"{9999 - self.files}.jsonl").write_text("".join(f"{line.text}\n" for line in lines))

    @cached_property
    def _events(self) -> list[Row]:
        return self.case.spark.sql(
            "select source_system, get_json_object(after, '$.name') as name "
            f"from {self.case.table('landing', 'change_event')} order by commit_position"
        )

    @cached_property
    def _findings(self) -> list[Row]:
        return self.case.spark.sql(f"select * from {self.case.table('ops', 'ops_source_log')} order by since")

    def order(self, system: str) -> list[str]:
        """The names of a source's changes in the order of their commit positions, when all has landed."""
        return [row.name for row in self._events if row.source_system == system]

    def findings(self, system: str) -> list[tuple[str, datetime]]:
        """What is odd in a source's log, when all has landed."""
        return [(row.finding, row.since) for row in self._findings if row.source_system == system]


def naive(seconds: float) -> datetime:
    return (AT_NOON + timedelta(seconds=seconds)).replace(tzinfo=None)


@pytest.fixture(scope="module")
def epochs(module_case: Callable[..., DbtCase], tmp_path_factory: pytest.TempPathFactory) -> Epochs:
    """Everything in four jobs: each source is a case of its own."""
    folder = tmp_path_factory.mktemp("arriving")
    case = module_case(
        parts=("models/landing", "seeds/mapping/schema_attribute.yml", "seeds/mapping/schema_attribute.csv"),
        project={"vars": {"landing_path": f"{folder}/*.jsonl", "entrepot_lock_minutes": 10}},
    )
    epochs = Epochs(case, folder)
    names = (
        "restored",
        "failover",
        "at once",
        "quiet",
        "twice",
        "late",
        "stepped",
        "long",
        "future",
        "only future",
        "beats",
        "untold",
        "again",
    )
    servers = {name: Server(name) for name in names}
    jobs: list[list[Line]] = [[], [], [], []]

    restored = servers["restored"]
    jobs[0] += [restored.at(f"before {n}", 500 + 100 * n, n) for n in range(5)]
    jobs[1] += [
        restored.at("after 0", 510, 3600, told=None),
        restored.at("after 1", 520, 3601),
        restored.at("after 2", 600, 3602),
    ]
    jobs[2] += [restored.at("after 3", 850, 3700), restored.at("after 4", 1000, 3800)]
    # the connector delivers again what it had delivered before
    jobs[2] += [restored.at("before 3", 800, 3), restored.at("after 1", 520, 3601)]

    failover = servers["failover"]
    jobs[0] += [failover.at("old 0", 880, 0), failover.at("old 1", 900, 1)]
    jobs[1] += [failover.at("new 0", 885, 3), failover.at("new 1", 895, 4)]
    jobs[3] += [failover.at("new 2", 1200, 5)]

    at_once = servers["at once"]
    # files of one job: order of names is not that of time
    jobs[0] += [at_once.at("old 0", 100, 0), at_once.at("old 1", 900, 1)]

    untold = servers["untold"]
    jobs[0] += [untold.at("old", 900, 0, told=None)]
    jobs[1] += [untold.at("new 0", 500, 10, told=None), untold.at("new 1", 510, 11, told=None)]
    again = servers["again"]
    # the first time a snapshot follows, which begins an epoch; the second time none
    jobs[0] += [again.at("old", 900, 0, told=None)]
    jobs[1] += [again.at("new 0", 500, 10, told=None), again.at("new 1", 510, 11, told=None)]
    jobs[2] += [again.at("snapshot", 520, 20, told=None, op="r")]
    jobs[3] += [again.at("newer 0", 300, 30, told=None), again.at("newer 1", 310, 31, told=None)]

    quiet = servers["quiet"]
    jobs[0] += [quiet.at("old", 900, 0)]
    jobs[1] += [quiet.at("snapshot", 300, 10, told=None, op="r")]

    twice = servers["twice"]
    jobs[0] += [twice.at("first", 900, 0)]
    jobs[1] += [twice.at("second", 500, 10), twice.at("second more", 600, 11)]
    jobs[2] += [twice.at("third", 400, 20), twice.at("third more", 550, 21)]

    late = servers["late"]
    jobs[0] += [late.at("old 2", 900, 2)]
    jobs[1] += [late.at("new 0", 500, 10), late.at("new 1", 700, 11)]
    jobs[2] += [late.at("old 0", 600, 0), late.at("old 1", 650, 1)]

    stepped = servers["stepped"]
    # the clock is set back: the log goes on
    jobs[0] += [stepped.at("a", 100, 300), stepped.at("b", 110, 301), stepped.at("c", 120, 0), stepped.at("d", 130, 1)]
    jobs[1] += [stepped.at("e", 140, 2)]

    long = servers["long"]
    # a transaction that began long ago and was committed last, told by a connector that has just been started
    jobs[0] += [long.at("short", 200, 10, told=190)]
    jobs[1] += [long.at("begun before", 150, 20, told=None)]

    future = servers["future"]
    century = (datetime(2090, 1, 1, tzinfo=timezone.utc) - AT_NOON).total_seconds()
    jobs[0] += [future.at("a", 100, 0), future.at("b", 110, century), future.at("c", 120, 1)]
    jobs[1] += [future.at("d", 130, 2), future.at("b", 110, century)]
    jobs[2] += [future.at("e", 50, 3), future.at("f", 60, 4)]
    jobs[3] += [future.at("b", 110, century)]
    jobs[0] += [servers["only future"].at("a", 100, century)]

    beats = servers["beats"]
    jobs[0] += [beats.at("a", 100, 0), beats.control("transaction", 30), beats.control("heartbeat", 60)]
    jobs[1] += [beats.at("late", 90, -60), beats.control("heartbeat", century)]
    # its clock is ahead
    ahead = (datetime.now(timezone.utc) + timedelta(hours=1) - AT_NOON).total_seconds()
    jobs[2] += [beats.control("heartbeat", ahead)]
    jobs[3] += [beats.at("b", 110, 70)]

    for number, lines in enumerate(jobs, start=1):
        by_system: dict[str, list[Line]] = {}
        for line in lines:
            by_system.setdefault(system_of(line), []).append(line)
        for mine in by_system.values():
            epochs.arrive(*mine)
        if number == 1:
            epochs.arrive(at_once.at("new 0", 300, 10), at_once.at("new 1", 500, 11))
        case.build(*(WITHOUT_TESTS if number < len(jobs) else ()))
    return epochs


@pytest.mark.parametrize(
    ("system", "order"),
    {
        "restored": [*(f"before {n}" for n in range(5)), *(f"after {n}" for n in range(5))],
        "failover": ["old 0", "old 1", "new 0", "new 1", "new 2"],
        "at once": ["old 0", "old 1", "new 0", "new 1"],
        "quiet": ["old", "snapshot"],
        "twice": ["first", "second", "second more", "third", "third more"],
        "late": ["old 0", "old 1", "old 2", "new 0", "new 1"],
        "stepped": ["a", "b", "c", "d", "e"],
        "future": ["a", "b", "c", "d", "e", "f"],
    }.items(),
)
def test_what_happened_last_is_last(epochs: Epochs, system: str, order: list[str]) -> None:
    assert epochs.order(system) == order


@pytest.mark.parametrize(
    ("system", "since"),
    {
        "restored": [3600], "failover": [3], "at once": [10], "quiet": [10], "twice": [10, 20], "late": [10], "stepped": [], "long": [],
    }.items(),
)  # fmt: skip
def test_a_log_that_goes_back_is_told(epochs: Epochs, system: str, since: list[float]) -> None:
    assert epochs.findings(system) == [("its log went back", naive(seconds)) for seconds in since]


def test_a_log_that_may_have_gone_back_is_told(epochs: Epochs) -> None:
    """No record says which commit came before it."""
    assert epochs.order("untold") == ["new 0", "new 1", "old"]
    told = [("its log may have gone back, its records do not say (source.sequence)", naive(10))]
    assert epochs.findings("untold") == told
    assert epochs.findings("again") == [("its log went back", naive(20)), (told[0][0], naive(30))]


def test_times_in_the_future_order_nothing_and_are_told(epochs: Epochs) -> None:
    assert epochs.findings("future") == [
        ("its log went back", naive(3)),
        ("commit times in the future", datetime(2090, 1, 1)),
    ]
    assert [finding for finding, _ in epochs.findings("only future")] == ["commit times in the future"]
    newest = epochs.case.spark.answer(
        f"select max(commit_position.committed_at) from {epochs.case.table('landing', 'change_event')}"
    )
    assert newest[0][0] < datetime(2089, 1, 1)


def test_how_far_a_source_is_heard(epochs: Epochs) -> None:
    """By its changes, its transactions' ends and its heartbeats; never by times to come, nor later than a clock that is ahead has landed."""
    cuts = epochs.case.spark.sql(
        f"select * from {epochs.case.table('ops', 'source_cut')} where source_system = 'beats' order by number"
    )
    assert [cut.number for cut in cuts] == [1, 2, 3, 4]
    assert [(cut.log_commit, cut.committed_at) for cut in cuts] == [(95, naive(0))] * 3 + [(105, naive(70))]
    assert [cut.heard_at for cut in cuts[:2]] == [naive(60)] * 2
    assert cuts[3].heard_at == cuts[2].heard_at
    assert cuts[2].at - timedelta(minutes=10) < cuts[2].heard_at <= cuts[2].at
    through = epochs.case.spark.answer(
        f"select distinct holds_through from {epochs.case.table('ops', 'published_snapshot')} where number = 4 and relation like '%change_event'"
    )
    published, cut = (
        dict(
            epochs.case.spark.answer(
                f"select number, max({moment}) from {epochs.case.table('ops', books)} group by number"
            )
        )
        for books, moment in (("published_snapshot", "landed_through"), ("source_cut", "committed_at"))
    )
    assert {number: published[number] for number in cut} == cut and len(cut) == 4
    assert through == [(None,)], "of a source whose times are all in the future nobody can say how far it is heard"
