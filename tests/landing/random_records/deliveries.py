"""How records arrive: in files that are mixed, repeated, cut, copied and grown from one job to the next."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import dataclass, field

from tests.landing.random_records.mutations import Mutant, Mutator
from tests.landing.random_records.plain_landing import BOM
from tests.landing.random_records.valid_records import SETTINGS, Record, Source


@dataclass
class Delivery:
    """Files as they are before each job, and what has been done to the records in them."""

    states: list[dict[str, bytes]]
    done: dict[bytes, tuple[str, ...]] = field(default_factory=dict)
    cases: int = 0


def redelivered(record: Record, draw: random.Random) -> Record:
    """The record as a restarted connector sends it again: other times, another run, another idea of the commit before."""
    again = copy.deepcopy(record)
    again.headers = [{"key": "__debezium.context.runId", "value": f'"{draw.getrandbits(64):x}"'}]
    if isinstance(again.value, dict) and "source" in again.value:
        again.value["ts_ms"] = type(again.value["source"]["lsn"])(draw.randint(1, 2**40))
        again.value["source"]["sequence"] = json.dumps([again.value["source"]["lsn"], again.value["source"]["lsn"]])
    return again


def deliver(seed: int, cases: int, jobs: int = 2) -> Delivery:
    """So many records, valid and changed ones, in files; more, and longer ones, before each job."""
    draw = random.Random(seed)
    sources = [Source(name, settings, draw, draw.random() < 0.7) for name, settings in SETTINGS.items()]
    logs: list[list[Record]] = [source.snapshot(draw.randint(1, 5)) for source in sources]
    while sum(map(len, logs)) < cases:
        number = draw.randrange(len(sources))
        logs[number] += sources[number].transaction()
    mutator = Mutator(draw)
    records = [record for log in logs for record in log]
    delivery = Delivery([], cases=len(records))

    def mutants(log: list[Record]) -> list[bytes]:
        lines = []
        for record in log:
            found = mutator.mutant(record, lambda: draw.choice(records)) if draw.random() < 0.8 else valid(record)
            delivery.done.setdefault(found.line, found.done)
            lines.append(found.line)
        return lines

    # each log in its own order; one in pieces; all of the rest in one file, mixed
    files: dict[str, list[bytes]] = {}
    rest: list[bytes] = []
    for number, log in enumerate(logs):
        lines = mutants(log)
        whole = draw.randrange(len(lines) // 2, len(lines))
        files[f"log_{number}"] = lines[:whole]
        rest += lines[whole:]
    draw.shuffle(rest)
    files["mixed"] = rest
    again = [redelivered(record, draw) for record in draw.sample(records, min(len(records), 12 + cases // 40))]
    files["again"] = [valid(record).line for record in again]
    for lines in files.values():
        for line in draw.sample(lines, len(lines) // 15):
            lines.insert(draw.randrange(len(lines) + 1), line)
    contents = {f"{name}.jsonl": content(lines, draw) for name, lines in files.items()}
    delivery.states = [growing(contents, draw, (job + 1) / jobs) for job in range(jobs)]
    return delivery


def valid(record: Record) -> Mutant:
    """A record as it is."""
    return Mutant(record.line(record.value_text()).encode(), ())


def content(lines: list[bytes], draw: random.Random) -> bytes:
    """The bytes of a file."""
    end = draw.choice((b"\n", b"\n", b"\r\n"))
    lines = [blank for line in lines for blank in (*[draw.choice((b"", b"  "))] * (draw.random() < 0.05), line)]
    return BOM * (draw.random() < 0.3) + end.join(lines) + draw.choice((b"", end))


def growing(contents: dict[str, bytes], draw: random.Random, share: float) -> dict[str, bytes]:
    """The files when so much of them has arrived, cut anywhere; in the end whole, and some of them under two names."""
    if share < 1:
        return {
            name: text[: max(1, int(len(text) * draw.uniform(share / 2, share)))] for name, text in contents.items()
        }
    copies = draw.sample(sorted(contents), 2)
    return contents | {f"copy_of_{name}": contents[name] for name in copies}
