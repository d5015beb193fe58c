"""The views on what mappings cost, run by DuckDB on books of a few jobs, against plain Python; no Spark."""

from __future__ import annotations

from typing import Any

import duckdb

from tests.support.render import Renderer

BRANCH = "-- {schema} versions {versions}: 2 of 3 attributes\nselect 1\nfrom x\n"
ITEM = (
    BRANCH.format(schema="shop.s.item", versions="1, 2")
    + "union all\n"
    + BRANCH.format(schema="plant.p.item", versions="1")
)
OLD = BRANCH.format(schema="shop.s.item", versions="1") + "-- of all versions: none"
MODELS = {
    "mapped.item": {"entity": "item"},
    "mapped.item_v1": {"entity": "item", "entity_version": 1},
    "mapped.order": {"entity": "order"},
    "marts.fct_item": {},
}
# job, relation, status, rule, events read, rows inserted, updated, deleted, seconds
RUNS = [
    (1, "mapped.item", "success", "create", 100, 10, 0, 0, 2.0),
    (2, "mapped.item", "success", "join", 20, 3, 1, 5, 1.0),
    (3, "mapped.item", "success", "join", 20, 0, 0, 0, 1.0),
    (4, "mapped.item", "error", "join", 20, 9, 0, 0, 9.0),
    (5, "mapped.item", "success", "join", None, 1, 0, 0, 0.5),
    (2, "mapped.item_v1", "success", "join", 20, 2, 0, 0, 4.0),
    (2, "marts.fct_item", "success", "join", 20, 7, 0, 0, 4.0),
    (2, "raw.part", "success", "seed", None, 7, 0, 0, 4.0),
    (1, "marts.view", "success", "view", None, None, None, None, 4.0),
]
# job 5 has published nothing
PUBLISHED = [
    (1, "mapped.item", "one", "3f2a81c0"),
    (2, "mapped.item", "two", "77ab90de"),
    (2, "mapped.item_v1", "two", "3f2a81c0"),
    (2, "marts.fct_item", "one", None),
]
VERDICTS = [
    ("mapped.item", "one", OLD), ("mapped.item", "two", ITEM), ("mapped.item", "two", ITEM), ("mapped.item_v1", "two", OLD),
]  # fmt: skip


def answers() -> dict[str, list[dict[str, Any]]]:
    nodes = {
        name: {"resource_type": "model", "schema": schema, "alias": alias, "name": name, "config": config}
        for name, config in MODELS.items()
        for schema, alias in [name.split(".")]
    }
    render = Renderer(graph={"nodes": nodes}, source=lambda *names: names[-1])
    connection = duckdb.connect()
    connection.execute("create macro regexp_count(text, pattern) as len(regexp_extract_all(text, pattern))")
    for name, columns, rows in (
        ("model_run", "number int, relation varchar, status varchar, rule varchar, rows_read int, rows_inserted int, rows_updated int, "
         "rows_deleted int, seconds double, job varchar", [(*run, f"job {run[0]}") for run in RUNS]),
        ("published_snapshot", "number int, relation varchar, sql_hash varchar, detail varchar, job varchar",
         [(*one, f"job {one[0]}") for one in PUBLISHED]),
        ("model_verdict", "relation varchar, sql_hash varchar, sql varchar", VERDICTS),
        ("entity_attribute", "entity varchar, entity_version int", [("item", 1), ("item", 2), ("item", 2), ("order", 1)]),
        ("balanced_set", "schema varchar, version int, entity varchar, entity_version int",
         [("shop.s.item", 1, "item", 2), ("shop.s.item", 1, "item", 2), ("shop.s.item", 2, "item", 2), ("plant.p.item", 1, "item", 2)]),
    ):  # fmt: skip
        connection.execute(f"create table {name} ({columns})")
        connection.executemany(f"insert into {name} values ({', '.join('?' * len(rows[0]))})", rows)
    found = {}
    for name in ("ops_mapping_run", "ops_mapping_cost"):
        connection.execute(f"create view {name} as {render.file(f'models/mapping/{name}.sql')}")
        answer = connection.execute(f"select * from {name} order by all")
        names = [column[0] for column in answer.description or ()]
        found[name] = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    return found


def test_what_mappings_cost() -> None:
    found = answers()
    assert [tuple(row.values()) for row in found["ops_mapping_run"]] == [
        (1, "mapped.item", "item", 2, "create", 100, 10, 1, len(OLD), "3f2a81c0", 2.0, 200.0, 2000.0),
        (2, "mapped.item", "item", 2, "join", 20, 4, 2, len(ITEM), "77ab90de", 1.0, 250.0, 500.0),
        (2, "mapped.item_v1", "item", 1, "join", 20, 2, 1, len(OLD), "3f2a81c0", 4.0, 2000.0, 4000.0),
        (5, "mapped.item", "item", 2, "join", None, 1, None, None, None, 0.5, 500.0, None),
    ]
    assert found["ops_mapping_cost"] == [
        {
            "relation": "mapped.item", "entity": "item", "entity_version": 2, "source_schemas": 2, "schema_versions": 3, "elements": 4,
            "blocks": 2, "sql_characters": len(ITEM), "jobs": 3, "last_job_number": 5, "events_mapped": 15, "seconds": 3.5,
            "milliseconds_per_event": 1000 * 3.5 / 15, "last_milliseconds_per_event": 500.0,
        },
        {
            "relation": "mapped.item_v1", "entity": "item", "entity_version": 1, "source_schemas": 0, "schema_versions": 0, "elements": 0,
            "blocks": 1, "sql_characters": len(OLD), "jobs": 1, "last_job_number": 2, "events_mapped": 2, "seconds": 4.0,
            "milliseconds_per_event": 2000.0, "last_milliseconds_per_event": 2000.0,
        },
    ]  # fmt: skip
