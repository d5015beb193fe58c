"""What macros ask of the landing folder, as methods of the adapter (see `entrepot.landing`)."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.jobs import Jobs, Relation
from dbt.adapters.entrepot.landing_patterns import LandingPatterns
from entrepot.jobs.heard import Told
from entrepot.landing import Arrival, Links, Pattern, arrivals, cut, landed_files, news, threshold
from entrepot.landing.compressed import ends_whole, is_compressed
from entrepot.landing.cut import LEFT
from entrepot.landing.news import COLUMNS, DAMAGED
from entrepot.spark.embedded import local_warehouse
from entrepot.sql import quoted
from entrepot.tables.files import rows_in_arrow

FOLDER = "arriving.links"
UNENDED = f"{DAMAGED} or incomplete: it cannot be decompressed to its end"


class Landing(Jobs, LandingPatterns):
    """The landing folder, where it lies on this machine; files elsewhere are listed by Spark."""

    _links: Links | None = None
    _arrived: dict[str, Arrival]

    @for_macros
    def landing_arrivals(self, pattern: str) -> list[dict[str, Any]] | None:
        """The files that a pattern means: `landed_from`, `file_size`, `modified_ms`, `problem`; none where they lie elsewhere."""
        meant = Pattern(pattern)
        if not meant.is_local:
            return None
        self._arrived = {arrival.landed_from: arrival for arrival in arrivals(meant)}
        return [
            {
                "landed_from": landed_from, "file_size": arrival.size, "modified_ms": arrival.modified, "problem": arrival.problem,
            }
            for landed_from, arrival in self._arrived.items()
        ]  # fmt: skip

    @for_macros
    def landing_landed(self, relation: Relation) -> list[Mapping[str, Any]] | None:
        """The files as they were when they landed, as `landing_arrivals` lists them; none where Spark has to be asked.

        Args:
            relation: `landed_file`
        """
        version = self.job.relations.pin(str(relation))
        if version is None or not self.is_embedded():
            return None
        found = rows_in_arrow(self.table(str(relation)), version, COLUMNS)
        if found is None:
            return None
        import pyarrow  # 0.1 s

        return landed_files(pyarrow.table(found[0]))

    @for_macros
    def landing_news(
        self, arrived: Sequence[Mapping[str, Any]], landed: Sequence[Mapping[str, Any]], pulled: Collection[int]
    ) -> list[Mapping[str, Any]]:
        """Which files have arrived or changed since they last landed.

        Args:
            arrived: as `landing_arrivals` lists them
            landed: the same of files as they were when they landed
            pulled: the numbers of the registry's schemas that have been pulled
        """
        return news(arrived, landed, pulled)

    @for_macros
    def landing_cut(self, files: Sequence[Mapping[str, Any]], most: object) -> list[Mapping[str, Any]]:
        """Of files that have arrived those that this job lands; that others wait for the next job is told.

        Args:
            files: as `landing_arrivals` lists them
            most: var `landing_batch_bytes`
        """
        taken, waiting = cut(files, threshold(most))
        if waiting:
            size = sum(int(file["file_size"]) for file in waiting)
            self.tell(
                f"This job lands {len(taken):,} files; {len(waiting):,} with {size:,} bytes {LEFT} "
                f"(var landing_batch_bytes is {most}): run it again."
            )
        return taken

    @for_macros
    def landing_links(self, files: Collection[str]) -> tuple[str, dict[str, str], dict[str, str]]:
        """Link files, and read those that are compressed to their end.

        Args:
            files: where they come from, as `landing_arrivals` has listed them

        Returns:
            the folder of the links; the links of what can be read, {landed_from: link}; what cannot, {landed_from: why}. What has gone
            since it was listed is in neither.
        """
        warehouse = local_warehouse(self.config.credentials.server_side_parameters)
        # jobs of one schema run one after the other; those of another one may run at the same time
        self._links = Links(
            warehouse / FOLDER / self.config.credentials.schema
            if warehouse
            else Path(tempfile.mkdtemp(prefix="entrepot-"))
        )
        chosen = {landed_from: self._arrived[landed_from] for landed_from in files}
        made = self._links.make(chosen.values())
        links = {landed_from: made[file.path] for landed_from, file in chosen.items() if file.path in made}
        packed = {landed_from: link for landed_from, link in links.items() if is_compressed(link)}
        broken = {
            name: UNENDED for name, link in packed.items() if not ends_whole(chosen[name].path, Path(link).suffix)
        }
        ended = {name: link for name, link in packed.items() if name not in broken}
        if ended and not self._can_be_read(ended.values()):
            broken |= {name: UNENDED for name, link in ended.items() if not self._can_be_read([link])}
        for landed_from in broken:
            Path(links.pop(landed_from).removeprefix("file:")).unlink()
        return str(self._links.folder), links, broken

    @for_macros
    def landing_gone(self, files: Collection[str]) -> list[str]:
        """Which of some files are not there any more."""
        return [landed_from for landed_from in files if not self._arrived[landed_from].is_there]

    @for_macros
    def landing_note_heard(
        self, source_system: str, committed_at: str | None, log_commit: int | str | None, heard_at: str | None
    ) -> None:
        """Note how far a source is heard by what has arrived.

        Args:
            source_system: the source
            committed_at: the latest commit time of its changes, as Spark casts it to text in UTC
            log_commit: the position of that commit
            heard_at: the latest time that its records carry
        """
        committed, heard_until = (heard(text) if text else None for text in (committed_at, heard_at))
        position = None if log_commit is None else int(log_commit)
        self.job.heard.note(Told(source_system, committed, position, heard_until))

    @for_macros
    def landing_note_cuts(self) -> None:
        """Write down how far every source is heard by what has landed."""
        self.job.note_cuts()

    def jobs_end(self, *arguments: Any, **named: Any) -> None:
        """End the job; its links go with it."""
        super().jobs_end(*arguments, **named)
        if self._links:
            self._links.remove()

    def _can_be_read(self, links: Collection[str]) -> bool:
        """Whether Spark can read files to their ends."""
        counts = " union all ".join(f"select count(*) from text.{quoted(link)}" for link in links)
        return self.attempt(counts)[1] is None


def heard(text: str) -> datetime:
    """Return a moment from text in UTC, as Spark casts it.

    >>> heard("2026-11-21 14:24:28.5").isoformat()
    '2026-11-21T14:24:28.500000+00:00'
    """
    seconds, _, fraction = text.partition(".")
    return datetime.fromisoformat(f"{seconds}.{fraction:0<6}").replace(tzinfo=timezone.utc)
