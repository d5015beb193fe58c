"""The tables of the three databases when the story begins, and when their columns change.

No foreign keys: facts must be able to arrive before their master rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from recorder.steelworks.clock import PHASE_TWO, evening, second_phase
from recorder.steelworks.steps import Layout, SchemaChange

SHOP = "entrepot_shop"
SHOP_NEXT = "entrepot_shop_next"
PLANT = "entrepot_plant"
DATABASES = (SHOP, SHOP_NEXT, PLANT)
CAPTURED_SCHEMAS = {SHOP: ("sales", "incoming", "outgoing"), SHOP_NEXT: ("incoming",), PLANT: ("mes",)}


@dataclass(frozen=True)
class Table:
    """``columns`` is the body of ``create table``, one definition per line; ``key`` may be empty."""

    name: str
    columns: str
    key: tuple[str, ...]
    full_identity: bool = False

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names in the order of the definition."""
        return tuple(line.split()[0] for line in self.columns.strip().splitlines())

    def ddl(self) -> str:
        """The statements that create the table."""
        lines = [line.strip() for line in self.columns.strip().splitlines()]
        if self.key:
            lines.append(f"primary key ({', '.join(self.key)})")
        body = ",\n    ".join(lines)
        identity = f";\nalter table {self.name} replica identity full" if self.full_identity else ""
        return f"create table {self.name} (\n    {body}\n){identity}"


TABLES: dict[str, tuple[Table, ...]] = {
    SHOP: (
        Table(
            "sales.customer",
            """
            customer_id int
            name text not null
            email text not null
            city text
            credit_limit numeric(12,2)
            created_at timestamptz not null
            """,
            ("customer_id",),
        ),
        Table(
            "sales.item",
            """
            item_code varchar(20)
            name text not null
            price numeric(10,2) not null
            is_active boolean not null default true
            updated_at timestamp not null
            """,
            ("item_code",),
        ),
        Table(
            "sales.sales_order",
            """
            order_id bigint
            customer_id int not null
            ordered_at timestamptz not null
            status text not null
            note text
            """,
            ("order_id",),
        ),
        Table(
            "sales.order_line",
            """
            order_id bigint
            line_number int
            item_code varchar(20) not null
            quantity int not null
            discount numeric(5,4)
            """,
            ("order_id", "line_number"),
        ),
        Table("sales.price_note", "note_id int\nnote text", (), full_identity=True),
        Table(
            "incoming.payment",
            """
            payment_id bigint
            order_id bigint not null
            paid_amount numeric(12,2) not null
            paid_on date not null
            method text
            """,
            ("payment_id",),
        ),
        Table(
            "outgoing.payment",
            """
            payment_id bigint
            order_id bigint
            supplier text
            amount numeric(12,2) not null
            executed_at timestamptz not null
            """,
            ("payment_id",),
        ),
    ),
    SHOP_NEXT: (
        Table(
            "incoming.payment",
            """
            payment_id bigint
            order_id bigint not null
            amount numeric(12,2) not null
            currency text not null
            paid_on date not null
            method text
            """,
            ("payment_id",),
        ),
    ),
    PLANT: (
        Table(
            "mes.equipment",
            """
            equipment_id int
            name text not null
            line text not null
            max_speed double precision not null
            commissioned_on date
            """,
            ("equipment_id",),
        ),
        Table(
            "mes.material",
            """
            item_code text
            steel_grade text not null
            weight_per_piece numeric
            properties jsonb
            """,
            ("item_code",),
        ),
        Table(
            "mes.production",
            """
            production_id bigint
            equipment_id int not null
            item_code text not null
            started_at timestamptz not null
            ended_at timestamptz
            pieces int
            """,
            ("production_id",),
        ),
        Table(
            "mes.equipment_status",
            """
            status_id bigint
            equipment_id int not null
            status text not null
            started_at timestamptz not null
            ended_at timestamptz
            """,
            ("status_id",),
            full_identity=True,
        ),
        Table(
            "mes.quality",
            """
            quality_id bigint
            production_id bigint not null
            inspected int not null
            rejected int not null
            inspected_at timestamptz not null
            remark text
            """,
            ("quality_id",),
        ),
    ),
}


def schema_changes() -> list[SchemaChange]:
    """Every ``alter table`` of the story."""
    return [
        SchemaChange(PHASE_TWO, PLANT, "mes.equipment", "rename", "line", "production_line"),
        SchemaChange(second_phase(2), SHOP, "sales.customer", "add", "phone", "text"),
        SchemaChange(second_phase(4), PLANT, "mes.quality", "add", "inspector", "text"),
        SchemaChange(second_phase(6), SHOP, "sales.sales_order", "add", "channel", "text"),
        SchemaChange(second_phase(10), SHOP, "sales.item", "retype", "price", "numeric(12,3)"),
        SchemaChange(second_phase(14), SHOP, "sales.customer", "rename", "email", "email_address"),
        SchemaChange(evening(1), SHOP, "sales.customer", "drop", "credit_limit"),
        SchemaChange(evening(2), SHOP, "sales.order_line", "retype", "quantity", "bigint"),
        SchemaChange(evening(3), PLANT, "mes.production", "retype", "pieces", "bigint"),
    ]


def create_statements(database: str) -> list[str]:
    """The statements that create the schemas and tables of one database, in order."""
    tables = TABLES[database]
    schemas = dict.fromkeys(table.name.partition(".")[0] for table in tables)
    return [*(f"create schema {schema}" for schema in schemas), *(table.ddl() for table in tables)]


def first_layout(database: str) -> Layout:
    """The columns of one database when the story begins."""
    return Layout({table.name: table.column_names for table in TABLES[database]})
