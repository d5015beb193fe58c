"""Four source tables and random changes of them: few keys and few values, so that rows meet, move and come back."""

from __future__ import annotations

import random

from tests.support.spark import Spark

TABLES = {
    "customer": {"customer_id": "int", "name": "string", "region": "string"},
    "orders": {"order_id": "int", "customer_id": "int", "day": "int", "amount": "decimal(10, 2)"},
    "line": {"line_id": "int", "order_id": "int", "item": "string", "quantity": "int"},
    "price": {"price_id": "int", "item": "string", "from_day": "int", "to_day": "int", "price": "decimal(10, 2)"},
}
# the last one keeps no change feed: its changes are the difference of two versions
WITHOUT_FEED = ("price",)


class RandomSource:
    """The tables `schema.<name>`, and what happens to them."""

    def __init__(self, spark: Spark, schema: str, random_: random.Random) -> None:
        """Create the tables, with some rows."""
        self.spark, self.schema, self.random = spark, schema, random_
        self.next_id = dict.fromkeys(TABLES, 1)
        spark.sql(f"create schema if not exists {schema}")
        for table, types in TABLES.items():
            columns = ", ".join(f"{column} {type_}" for column, type_ in types.items())
            feed = "false" if table in WITHOUT_FEED else "true"
            spark.sql(
                f"create table {schema}.{table} ({columns}) using delta tblproperties ('delta.enableChangeDataFeed' = '{feed}')"
            )
            spark.sql(f"insert into {schema}.{table} values {', '.join(self.new_row(table) for _ in range(12))}")

    def value(self, column: str) -> str:
        """Return a random value of a column, as SQL; null now and then."""
        random_ = self.random
        if random_.random() < 0.12:
            return "null"
        return {
            "name": lambda: repr(random_.choice(["ada", "bea", "cyd", "Ada", ""])),
            "region": lambda: repr(random_.choice(["north", "south"])),
            "item": lambda: repr(random_.choice(["bar", "coil", "rod"])),
            "amount": lambda: f"{random_.randint(-50, 500)}.{random_.randint(0, 99):02}",
            "price": lambda: f"{random_.randint(1, 50)}.50",
        }.get(column, lambda: str(random_.randint(1, 9)))()

    def new_row(self, table: str) -> str:
        """Return a row with a key of its own, as SQL."""
        columns = list(TABLES[table])
        number = self.next_id[table]
        self.next_id[table] += 1
        return f"({', '.join([str(number), *(self.value(column) for column in columns[1:])])})"

    def insert(self, table: str) -> str:
        """Insert one to three new rows in one commit and return the statement."""
        rows = ", ".join(self.new_row(table) for _ in range(self.random.randint(1, 3)))
        statement = f"insert into {self.schema}.{table} values {rows}"
        self.spark.sql(statement)
        return statement

    def change(self) -> str:
        """Make one random commit and return the statement."""
        random_ = self.random
        table = random_.choice(list(TABLES))
        name = f"{self.schema}.{table}"
        columns = list(TABLES[table])
        key = columns[0]
        some = f"{key} in ({', '.join(str(random_.randint(1, self.next_id[table])) for _ in range(random_.randint(1, 4)))})"
        kind = random_.choices(["insert", "update", "delete", "again", "all", "nothing"], [4, 6, 3, 2, 0.3, 0.5])[0]
        if kind == "insert":
            return self.insert(table)
        if kind == "update":
            column = random_.choice(columns[1:])
            statement = f"update {name} set {column} = {self.value(column)} where {some}"
        elif kind == "delete":
            statement = f"delete from {name} where {some}"
        elif kind == "again":
            number = random_.randint(1, self.next_id[table] - 1)
            row = f"{number}, {', '.join(self.value(column) for column in columns[1:])}"
            statement = (
                f"insert into {name} select {row} where not exists (select 1 from {name} where {key} = {number})"
            )
        elif kind == "all":
            statement = f"delete from {name} where true"
        else:
            statement = f"update {name} set {key} = {key} where {some}"
        self.spark.sql(statement)
        return statement
