"""The source: item and store_sales of TPC-DS with the place of each commit, and parts of a stream of changes, each of 48 purchases.

The newest tickets of what the generator writes are held back, and are the stream's. A part has 48 of them (about 570 lines, as OD-ETL
3.6.1 has it), about ten new prices of items that it sells, committed between its tickets, and corrected quantities in the part before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.warehouse import FILE_BYTES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = "tpcds"
TABLES = ("item", "store_sales")
TICKETS = 48  # of a part
FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true')"
# places in the source's log: items at first, then what had been sold, then part by part, a minute each, 20 places for each ticket
SOLD, PART, PLACES = 1_000_000, 10_000_000, 20
START = "timestamp'2026-01-01 00:00:00'"
# a round of the stream's tickets is sold again under other numbers when all are through
ROUND = 1_000_000_000


@dataclass(frozen=True)
class Stream:
    """The tickets that were held back.

    Attributes:
        first: number of the first of them
        parts: how many parts they are before they come again, under other numbers
    """

    first: int
    parts: int

    def statements(self, first: int, count: int) -> Iterator[str]:
        """Yield the statements that commit so many parts, the `first` one counted from 0, to the source's tables."""
        while count:
            round_, slot = divmod(first, self.parts)
            now = min(count, self.parts - slot)
            yield from self._in_round(round_, slot, now)
            first, count = first + now, count - now

    def _in_round(self, round_: int, slot: int, count: int) -> Iterator[str]:
        chosen = f"from held where part >= {slot} and part < {slot + count}"
        number = f"{PART} + (part + {round_ * self.parts}) * 10000L + ticket * {PLACES}"
        at = f"timestampadd(millisecond, (part + {round_ * self.parts} + 1) * 60000 + ticket * 1000, {START})"
        yield f"""insert into {SCHEMA}.item_event by name
            select /*+ coalesce(1) */ {number} + 1 + line as number, timestampadd(millisecond, -500, {at}) as committed_at, 'u' as op, item_id,
            cast(ss_list_price * (1 + pmod(xxhash64(ss_ticket_number), 10) / 100) as decimal(7, 2)) as current_price,
            cast(null as string) as brand, cast(null as string) as category {chosen} and is_priced"""
        yield f"""insert into {SCHEMA}.store_sales by name
            select /*+ coalesce(1) */ * except (part, ticket, line, is_priced, ss_ticket_number),
            ss_ticket_number + {round_ * ROUND} as ss_ticket_number, {position(at, f"{number} + {PLACES - 1}")} as commit_position {chosen}"""
        before = self.first + round_ * ROUND + (slot - 1) * TICKETS
        last = before + count * TICKETS
        yield f"""update {SCHEMA}.store_sales set ss_quantity = ss_quantity + 1, ss_net_paid = ss_net_paid + ss_sales_price
            where ss_ticket_number >= {before} and ss_ticket_number < {last} and pmod(xxhash64(ss_ticket_number, ss_item_sk), 19) = 0"""


def position(at: str, number: str) -> str:
    """SQL: the place of a commit, in the fields of `commit_position`."""
    return (
        f"struct({at} as committed_at, 'tills' as source_system, {number} as log_commit, {number} as log_position, 0L as log_serial, "
        f"cast({number} as string) as event_id)"
    )


def load(session: SparkSession, folder: Path, parts: int) -> Stream:
    """Make the source's tables from the generator's files in `folder`, but for the tickets of so many parts, or of half of all.

    Returns:
        the stream of what was held back; view `held` has its lines
    """
    for table in TABLES:
        session.read.parquet(f"file:{folder / table}.parquet").createOrReplaceTempView(f"generated_{table}")
    tickets = session.sql("select max(ss_ticket_number) as most from generated_store_sales").collect()[0].most
    parts = max(1, min(parts, tickets // 2 // TICKETS))
    stream = Stream(tickets - parts * TICKETS + 1, parts)
    session.sql(f"create schema if not exists {SCHEMA}")
    # the newest revision of an item is the one that is sold; an item's business key has up to three of them
    session.sql(
        f"""create table {SCHEMA}.item_event {FEED} as
        select /*+ coalesce(1) */ row_number() over (order by item_id) + 0L as number, {START} as committed_at, 'r' as op, * from (
          select i_item_id as item_id, max_by(i_current_price, i_item_sk) as current_price, max_by(i_brand, i_item_sk) as brand,
            max_by(i_category, i_item_sk) as category
          from generated_item group by i_item_id
        )"""
    )
    lines = "generated_store_sales inner join (select i_item_sk, i_item_id as item_id from generated_item) on ss_item_sk = i_item_sk"
    opening = position(f"timestampadd(second, 1, {START})", f"{SOLD}L")
    frame = session.sql(
        f"select * except (i_item_sk), {opening} as commit_position from {lines} where ss_ticket_number < {stream.first}"
    )
    files = -(-(folder / "store_sales.parquet").stat().st_size // FILE_BYTES)
    frame.repartitionByRange(files, "ss_ticket_number").createOrReplaceTempView("sold")
    session.sql(f"create table {SCHEMA}.store_sales {FEED} as select * from sold")
    session.sql(
        f"""create or replace temporary view held_lines as
        select * except (i_item_sk), cast((ss_ticket_number - {stream.first}) div {TICKETS} as bigint) as part,
          cast(pmod(ss_ticket_number - {stream.first}, {TICKETS}) as bigint) as ticket
        from {lines} where ss_ticket_number >= {stream.first}"""
    )
    # one price of an item in a commit at most
    session.sql(
        """cache table held as select *,
          row_number() over (partition by ss_ticket_number order by ss_item_sk) - 1L as line,
          pmod(xxhash64(ss_item_sk, ss_ticket_number), 57) = 0 as is_priced
        from held_lines"""
    )
    return stream
