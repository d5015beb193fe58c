"""How a seed's table is brought up to date with its file, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from entrepot.errors import EntrepotError
from entrepot.jobs import Begun, Job, Node, Run, finished
from entrepot.jobs.relations import Written
from entrepot.jobs.runs import counted
from entrepot.seeds.checksums import Checksums
from entrepot.seeds.file import File, Rows, Sheet
from entrepot.seeds.sql import check_sql, file_view_sql, merge_sql, sheet_view_sql, typed_sql
from entrepot.stages.stage import RowCounts


class SeedError(EntrepotError):
    """A seed's file cannot be read as its columns say."""

    def __init__(self, seed: Seed, problem: str, way_out: str) -> None:
        """Name the seed and its file, say what is wrong with it and how to go on."""
        super().__init__(f"Seed {seed.node.name} ({seed.file.path}){problem}.", way_out)


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed that a job brings up to date.

    Attributes:
        node: its place in the project
        file: its file
        wanted: the checksums of what its table is to be made from
        is_there: whether its relation exists
        is_delta: whether that is a Delta table
        full_refresh: whether it is to be built anew
        begun: when its run began
        stored: the checksums that the last write of its table noted down
    """

    node: Node
    file: File
    wanted: Checksums
    is_there: bool
    is_delta: bool
    full_refresh: bool
    begun: Begun
    stored: Checksums = field(default_factory=Checksums)

    @property
    def is_unchanged(self) -> bool:
        """Whether its table has the rows of its file."""
        return self.wanted.has_rows_of(self.stored)

    @property
    def view(self) -> str:
        """The name of the temporary view of its file's texts."""
        return f"{self.node.identifier}__seed_file"


@dataclass(frozen=True, slots=True)
class Refresh:
    """What is done with a seed.

    Attributes:
        seed: the seed
        rule: `skip` where nothing is to be written, `create` where its table is made, `seed` where the difference is written
        reason: why
        sql: the merge, or the SELECT that the table is made of; none where nothing is to be written
        row_count: how many rows the file has, where it was read
    """

    seed: Seed
    rule: Literal["skip", "create", "seed"]
    reason: str
    sql: str | None = None
    row_count: int = 0

    @property
    def created_sql(self) -> str | None:
        """The SELECT that the table is to be made of; none where it is not to be made."""
        return self.sql if self.rule == "create" else None

    @property
    def makes_room(self) -> bool:
        """Whether what stands under the name has to be dropped first: only a Delta table replaces a Delta table."""
        return self.rule == "create" and self.seed.is_there and not (self.seed.is_delta and self.seed.node.is_delta)

    @property
    def describes(self) -> bool:
        """Whether the stored descriptions may be others than the wanted ones."""
        return self.rule != "skip" or self.seed.stored.docs != self.seed.wanted.docs


def looked_up(job: Job, seed: Seed, rows: Callable[[], Rows]) -> Seed:
    """Find out what a seed's file contains, and what its table was made from.

    Args:
        job: the job
        seed: the seed, without these
        rows: reads the file's rows as dbt sees them; called where there is no other checksum
    """
    wanted = replace(seed.wanted, contents=seed.file.checksum(rows))
    return replace(seed, wanted=wanted, stored=_stored(job, seed))


def planned(job: Job, seed: Seed, sheet: Sheet | None) -> Refresh:
    """Check the file, and decide how its rows are written; writes nothing.

    Args:
        job: the job
        seed: the seed
        sheet: what dbt has read of its file; not looked at where that did not change

    Raises:
        SeedError: a value does not fit its column's type, or Spark finds other rows in the file than dbt
    """
    if seed.is_unchanged:
        return Refresh(seed, "skip", "the file did not change")
    assert sheet is not None, "a file that changed is read"
    view, columns = seed.view, sheet.columns
    is_file = seed.file.is_in_sight
    job.engine.ask(file_view_sql(view, seed.file, columns) if is_file else sheet_view_sql(view, sheet))
    _check(job, seed, sheet)
    typed = typed_sql(view, columns)
    reason = _create_reason(job, seed, typed)
    if reason is not None:
        return Refresh(seed, "create", reason, typed, sheet.row_count)
    origin = f"seed {seed.node.name}, from {seed.file.path}"
    merge = merge_sql(origin, seed.node.relation, columns, typed)
    return Refresh(seed, "seed", "the file changed", merge, sheet.row_count)


def applied(job: Job, refresh: Refresh) -> None:
    """Write the difference; of a table that dbt makes after this, say what its commit contains.

    Where only descriptions change, their commits say that the rows are the same.
    """
    seed = refresh.seed
    if refresh.rule != "skip":
        job.engine.say(job.commit_metadata(seed.node.relation, {}, seed.wanted.text))
    elif refresh.describes:
        job.engine.say(job.commit_metadata(seed.node.relation, {}, seed.wanted.text, part="same"))
    if refresh.rule == "seed" and refresh.sql:
        job.engine.ask(refresh.sql)


def written(job: Job, refresh: Refresh) -> Written | None:
    """Note what the table contains now; none where nothing was written, or the table has no versions.

    Where the file changed but no row did, there is no commit to carry its checksum: it is kept by the job, and published.
    """
    node, text = refresh.seed.node, refresh.seed.wanted.text
    if refresh.rule == "skip":
        return None
    job.engine.say(None)
    if not node.is_delta:
        return None
    what = job.relations.note_written(node.relation, {}, text)
    if what is None:
        job.relations.note_reads(node.relation, {}, text)
    return what


def ended(job: Job, refresh: Refresh, what: Written | None) -> Run:
    """End the run of a seed: clean up, and note what it took.

    Args:
        job: the job
        refresh: what was done
        what: what was written; none where nothing was, or the table has no versions
    """
    seed = refresh.seed
    if refresh.sql:
        job.engine.drop_rows(seed.view)
    elif refresh.describes:
        job.engine.say(None)
    return finished(job, seed.node, _run(refresh, what), seed.begun, what)


def _stored(job: Job, seed: Seed) -> Checksums:
    """Return what the last write of a seed noted down; nothing where the table is not to be kept, or somebody else wrote it."""
    if not (seed.is_there and seed.is_delta) or seed.full_refresh:
        return Checksums()
    contents = job.relations.contents(seed.node.relation)
    if contents.reads is None or not contents.sql_hash:
        return Checksums()
    return Checksums.of_text(contents.sql_hash)


def _check(job: Job, seed: Seed, sheet: Sheet) -> None:
    """Refuse texts that do not fit, and rows that one of the two readers does not find: one statement for all columns."""
    found = job.engine.ask(check_sql(seed.view, sheet.columns))[0]
    misfits = []
    for column in sheet.columns:
        text = found[column.text] if column.misfit else None
        if text is not None:
            place = _place(seed.file, sheet, column.number, text)
            misfits.append(f"{place}column {column.name}: '{text}' does not fit {column.type}")
    if misfits:
        way_out = "Correct the file, or give the column another type: config(column_types={…})."
        raise SeedError(seed, f", {'; '.join(misfits)}", way_out)
    if int(found["rows_found"]) != sheet.row_count:
        raise SeedError(
            seed,
            f": dbt finds {sheet.row_count} rows in the file and Spark {found['rows_found']}",
            "Quotes must be closed and doubled inside of a quoted value, and line ends must be all of one kind (RFC 4180).",
        )


def _place(file: File, sheet: Sheet, number: int, text: str) -> str:
    """Where a text of a column stands, in words; nothing where it is not found."""
    row = sheet.row_of(number, text)
    if row is None:
        return ""
    if not file.origins:
        return f"line {sheet.line_of(row)}, "
    origin, line = file.origins[row]
    return f"{origin} line {line}, "


def _create_reason(job: Job, seed: Seed, typed: str) -> str | None:
    """Return why the table must be made new; none where writing the difference will do.

    Args:
        job: the job
        seed: the seed
        typed: SQL of the file's rows
    """
    if not seed.is_there:
        return "first build"
    if seed.full_refresh:
        return "full refresh"
    if not (seed.is_delta and seed.node.is_delta):
        return "not a Delta table"
    if seed.stored.layout is None:
        return "written by somebody else"
    if seed.stored.layout != seed.wanted.layout:
        return "its configuration changed"
    columns = job.engine.columns(seed.node.relation)
    return None if list(columns.items()) == list(job.query_columns(typed)) else "its columns changed"


def _run(refresh: Refresh, what: Written | None) -> Run:
    """Return what a run did, as far as its commit or the file says it."""
    unique_id = refresh.seed.node.unique_id
    rows = counted(what.commit.metrics) if what else RowCounts()
    if refresh.rule == "create":
        is_told = what is not None or refresh.seed.node.is_delta
        made = rows if is_told else RowCounts(refresh.row_count)
        return Run(unique_id, "create", refresh.reason, "create", rows=made)
    if refresh.rule == "skip":
        return Run(unique_id, "skip", refresh.reason, rows_read=0)
    if what is None:
        return Run(unique_id, "skip", "the file changed, its rows did not")
    return Run(unique_id, "seed", refresh.reason, "merge", rows=rows)
