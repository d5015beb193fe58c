"""A job dies before each of its statements in turn: readers have the last good snapshot, and the next job ends as if nothing had been.

In this process, where the dead job's statements are refused (`dying`), and with `make campaigns` at some moments by SIGKILL, too.
`ENTREPOT_TEST_POINTS=40:60` (or `40:`) `pytest tests/faults/test_every_statement.py` takes these statements only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import deltalake
import pytest

from entrepot.spark.reader import Reader
from entrepot.tables import merge
from entrepot.target import load_target
from tests.faults.chain import Chain, rows_of
from tests.faults.changes import first_changes, more_changes
from tests.faults.dying import NEVER, Statements, dying
from tests.faults.put_back import kept
from tests.project.test_generate import PARTS
from tests.support.dbt_case import DbtCase
from tests.upkeep.test_warehouse import Shop

pytestmark = pytest.mark.slow
FIRST, _, LAST = os.environ.get("ENTREPOT_TEST_POINTS", "1:").partition(":")
"""the statements before which it dies"""
EVERY = 12
"""every how many-th of them gets a process of its own, which is killed"""


@pytest.mark.long
def test_dead_before_every_statement(dbt_case: Callable[..., DbtCase], tmp_path: Path) -> None:
    died = deaths(Shop(dbt_case(parts=PARTS)), tmp_path, range(int(FIRST), int(LAST or NEVER) + 1), dying)
    print(f"died {len(died)} times")
    assert died


@pytest.mark.long
def test_dead_between_joining_files_and_writing(
    dbt_case: Callable[..., DbtCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write without Spark may be two commits: one that joins the table's files, and that of the rows (decision 55)."""
    monkeypatch.setattr(merge, "FILES_TO_JOIN", 2)
    merges, appends = deltalake.DeltaTable.merge, deltalake.write_deltalake

    @contextmanager
    def dying_between(point: int) -> Iterator[Statements]:
        with dying(point, "rows into") as statements, pytest.MonkeyPatch.context() as patch:
            said = statements.counting(merges, lambda table, *rest: f"rows into {table.table_uri}")
            patch.setattr(deltalake.DeltaTable, "merge", said)
            said = statements.counting(appends, lambda table, *rest: f"rows into {table}")
            patch.setattr(deltalake, "write_deltalake", said)
            yield statements

    died = deaths(Shop(dbt_case(parts=PARTS)), tmp_path, range(1, NEVER), dying_between)
    print(f"died {len(died)} times")
    assert any(one.startswith("rows into") for one in died)


def deaths(
    shop: Shop, folder: Path, points: range, dying_at: Callable[[int], AbstractContextManager[Statements]]
) -> list[str]:
    """Let the same job of changes die at one point after the other, until it lives; what it died before, each time.

    Readers have the last good snapshot each time, and the next job ends as if nothing had been.
    """
    first_changes(shop)
    shop.case.build()
    more_changes(shop)
    died: list[str] = []
    with kept(shop.case, folder) as put_back:
        before = published(shop.case)
        shop.case.build()
        after = published(shop.case)[1]
        for point in points:
            put_back()
            with dying_at(point) as statements:
                shop.case.dbt("build")
            if statements.died_before is None:
                break
            died.append(statements.died_before)
            where = f"dead at {point}, before: {died[-1]}"
            number, rows = published(shop.case)
            assert (number, rows) == before or rows == after, where
            shop.case.build()
            assert published(shop.case)[1] == after, where
    return died


def published(case: DbtCase) -> tuple[int, dict[str, list[tuple[object, ...]]]]:
    """The newest published job's number, and the rows of its tables."""
    reader = Reader(load_target(case.path, case.path), case.spark.session)
    snapshot = reader.snapshots()[0]
    return snapshot.number, rows_of(reader, snapshot, case.schema)


@pytest.mark.long
@pytest.mark.parametrize("is_first", [False, True], ids=["a job of changes", "the first job"])
def test_killed_before_some_statements(
    is_first: bool, dbt_case: Callable[..., DbtCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain.made(Shop(dbt_case(parts=PARTS)), tmp_path, monkeypatch.context())
    first_changes(chain.shop)
    chain.folder.mkdir()
    if not is_first:
        chain.build()
        more_changes(chain.shop)
    chain.keep()
    before = None if is_first else chain.published()
    sent = chain.build()
    after = chain.published()[1]
    for point in range(EVERY // 2, len(sent), EVERY):
        chain.put_back()
        where = f"killed before statement {point}: {chain.killed_at(point)}"
        # what has been published is all of it
        if before is None:
            assert not chain.target.ledger().published() or chain.published()[1] == after, where
        else:
            assert chain.published() == before or chain.published()[1] == after, where
        chain.build()
        assert chain.published()[1] == after, where
