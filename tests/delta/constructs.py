"""Models of every construct, without `delta_rule`: what the analyzer is to find, and how each is maintained.

Tables: those of `random_source`; their keys are unique and never null, everything else may be null and repeated.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# in a construct's SQL: a source, or a model
NAMED = re.compile(r"{(\w+)}|\[(\w+)\]")


class Construct(NamedTuple):
    """A model: its key, the rule that the analyzer is to choose, and its SQL with `{table}` for sources and `[model]` for refs."""

    unique_key: list[str]
    rule: str
    sql: str


CONSTRUCTS = {
    "selected": Construct(["order_id"], "join", "select order_id, amount * 2 as twice from {orders} where day > 2"),
    "joined": Construct(
        ["line_id"],
        "join",
        "select line.line_id, orders.order_id, customer.name from {line} as line inner join {orders} as orders "
        "on line.order_id = orders.order_id inner join {customer} as customer on orders.customer_id = customer.customer_id",
    ),
    "exploded": Construct(
        ["order_id", "step"],
        "join",
        "select order_id, step from {orders} as orders lateral view explode(sequence(1, coalesce(day, 1))) steps as step",
    ),
    "united": Construct(
        ["kind", "id"],
        "join",
        "select 'o' as kind, order_id as id, day as n from {orders} union all select 'l', line_id, quantity from {line}",
    ),
    "left_joined": Construct(
        ["order_id"],
        "scope",
        "select orders.order_id, orders.customer_id, customer.name from {orders} as orders "
        "left join {customer} as customer on orders.customer_id = customer.customer_id",
    ),
    "left_joined_without_its_column": Construct(
        ["line_id"],
        "scope",
        "select line.line_id, orders.amount, customer.region from {line} as line left join {orders} as orders "
        "on line.order_id = orders.order_id left join {customer} as customer on orders.customer_id = customer.customer_id",
    ),
    "right_joined": Construct(
        ["customer_id", "order_id"],
        "scope",
        "select customer.customer_id, orders.order_id from {orders} as orders "
        "right join {customer} as customer on orders.customer_id = customer.customer_id",
    ),
    "full_joined": Construct(
        ["order_id", "line_id"],
        "scope",
        "select coalesce(orders.order_id, line.order_id) as order_id, line.line_id, orders.amount from {orders} as orders "
        "full join {line} as line on orders.order_id = line.order_id",
    ),
    "semi_joined": Construct(
        ["customer_id"],
        "scope",
        "select customer_id, name from {customer} as customer left semi join {orders} as orders "
        "on customer.customer_id = orders.customer_id and orders.amount > 100",
    ),
    "anti_joined": Construct(
        ["order_id"],
        "scope",
        "select order_id, day from {orders} as orders left anti join {line} as line on orders.order_id = line.order_id",
    ),
    "existing": Construct(
        ["order_id"],
        "scope",
        "select order_id, amount from {orders} as orders where exists "
        "(select 1 from {customer} as customer where customer.customer_id = orders.customer_id and customer.region = 'north')",
    ),
    "not_existing": Construct(
        ["customer_id"],
        "scope",
        "select customer_id, region from {customer} as customer where not exists "
        "(select 1 from {orders} as orders where orders.customer_id = customer.customer_id and orders.day > 5)",
    ),
    "contained": Construct(
        ["line_id"],
        "scope",
        "select line_id, item from {line} where order_id in (select order_id from {orders} where amount > 50)",
    ),
    "not_contained": Construct(
        ["line_id"],
        "scope",
        "select line_id, item from {line} where order_id not in (select order_id from {orders} where amount > 50)",
    ),
    "with_scalar": Construct(
        ["customer_id"],
        "scope",
        "select customer_id, (select max(amount) from {orders} as orders where orders.customer_id = customer.customer_id) as most "
        "from {customer} as customer",
    ),
    "self_left_joined": Construct(
        ["order_id", "before_id"],
        "scope",
        "select a.order_id, b.order_id as before_id, a.amount - b.amount as difference from {orders} as a "
        "left join {orders} as b on a.customer_id = b.customer_id and b.day < a.day",
    ),
    "cte_used_twice": Construct(
        ["one", "two"],
        "scope",
        "with dear as (select * from {orders} where amount > 100) select a.order_id as one, b.order_id as two from dear as a "
        "inner join dear as b on a.customer_id = b.customer_id",
    ),
    "cte_not_used": Construct(
        ["customer_id"],
        "scope",
        "with unused as (select * from {orders}), used as (select * from {customer}) select customer_id, name from used",
    ),
    "union_below_a_join": Construct(
        ["side", "id"],
        "scope",
        "select both.side, both.id, customer.name from (select 'o' as side, order_id as id, customer_id from {orders} "
        "union all select 'c', -customer_id, customer_id from {customer}) as both "
        "inner join {customer} as customer on both.customer_id = customer.customer_id",
    ),
    "distinct_items": Construct(["item", "quantity"], "scope", "select distinct item, quantity from {line}"),
    "union_distinct": Construct(
        ["customer_id"], "scope", "select customer_id from {orders} union select customer_id from {customer}"
    ),
    "excepted": Construct(
        ["customer_id"], "scope", "select customer_id from {customer} except select customer_id from {orders}"
    ),
    "intersected": Construct(
        ["customer_id"], "scope", "select customer_id from {customer} intersect select customer_id from {orders}"
    ),
    "grouped": Construct(
        ["customer_id"],
        "scope",
        "select customer_id, count(*) as n, count(amount) as amounts, count(distinct day) as days, sum(amount) as total, "
        "avg(amount) as mean, min(day) as first_day, max(amount) as most from {orders} group by customer_id",
    ),
    "grouped_join": Construct(
        ["region", "item"],
        "aggregate",
        "select customer.region, line.item, sum(line.quantity) as pieces from {line} as line inner join {orders} as orders "
        "on line.order_id = orders.order_id inner join {customer} as customer on orders.customer_id = customer.customer_id "
        "group by customer.region, line.item",
    ),
    "having_many": Construct(
        ["item"],
        "scope",
        "select item, count(*) as n from {line} group by item having count(*) > 3 and sum(quantity) > 10",
    ),
    "grouped_twice": Construct(
        ["orders"],
        "full",
        "select orders, count(*) as customers from (select customer_id, count(*) as orders from {orders} group by customer_id) "
        "group by orders",
    ),
    "grouped_exactly": Construct(
        ["customer_id"],
        "aggregate",
        "select customer_id, count(*) as n, count(amount) as amounts, sum(amount) as total, avg(amount) as mean, count(day) as days, "
        "sum(day) as day_sum, avg(day) as day_mean, min(day) as first_day, max(amount) as most, "
        "count(*) filter (where amount > 100) as dear, coalesce(sum(amount) filter (where day < 5), 0) as early "
        "from {orders} group by customer_id",
    ),
    "grouped_without_counts": Construct(
        ["customer_id"],
        "aggregate",
        "select customer_id, sum(amount) as total, min(day) as first_day, max(amount) as most, 'all' as side from {orders} group by customer_id",
    ),
    "grouped_self_join": Construct(
        ["day"],
        "aggregate",
        "with pair as (select a.day, b.amount, b.order_id from {orders} as a inner join {orders} as b on a.customer_id = b.customer_id), "
        "final as (select day, sum(amount) as total, max(order_id) as last_id, count(order_id) as ids from pair where amount > 10 group by day) "
        "select * from final",
    ),
    "grouped_over_distinct": Construct(
        ["item"],
        "scope",
        "select item, count(*) as n from (select distinct item, quantity from {line}) group by item",
    ),
    "grouped_by_expression": Construct(
        ["initial"],
        "aggregate",
        "select upper(left(name, 1)) as initial, count(*) as n from {customer} group by upper(left(name, 1))",
    ),
    "everything": Construct(
        ["n"], "aggregate", "select count(*) as n, sum(amount) as total, max(day) as last_day from {orders}"
    ),
    "numbered": Construct(
        ["order_id"],
        "scope",
        "select order_id, customer_id, row_number() over (partition by customer_id order by day, order_id) as number, "
        "sum(amount) over (partition by customer_id) as of_customer from {orders}",
    ),
    "ranked": Construct(
        ["order_id"], "full", "select order_id, rank() over (order by amount desc nulls last) as place from {orders}"
    ),
    "like_a_plan": Construct(["order_id"], "join", "select order_id, 'a#1' as mark from {orders} where day > 2"),
    "limited": Construct(
        ["order_id"], "full", "select order_id, amount from {orders} order by amount, order_id limit 5"
    ),
    "priced": Construct(
        ["line_id", "price_id"],
        "scope",
        "select line.line_id, line.item, price.price_id, line.quantity * price.price as amount from {line} as line "
        "left join {orders} as orders on line.order_id = orders.order_id left join {price} as price "
        "on line.item = price.item and orders.day >= price.from_day and orders.day < price.to_day",
    ),
    "summed_in_from": Construct(
        ["customer_id"],
        "scope",
        "select customer.customer_id, customer.name, sums.total from {customer} as customer left join "
        "(select customer_id, sum(amount) as total from {orders} group by customer_id) as sums "
        "on customer.customer_id = sums.customer_id",
    ),
    "grouped_by_computed": Construct(
        ["initials"],
        "scope",
        "select upper(left(name, 2)) as initials, count(distinct region) as regions, max(customer_id) as last_id from {customer} "
        "group by upper(left(name, 2))",
    ),
    "with_surrogate_key": Construct(
        ["line_key"],
        "scope",
        "select md5(concat(cast(line.line_id as string), '-', coalesce(line.item, '_null_'))) as line_key, orders.amount "
        "from {line} as line left join {orders} as orders on line.order_id = orders.order_id",
    ),
    "joined_on_computed": Construct(
        ["order_id", "line_id"],
        "scope",
        "select orders.order_id, orders.customer_id, line.line_id from {orders} as orders left join {line} as line "
        "on orders.customer_id = length(line.item)",
    ),
    "existing_by_computed": Construct(
        ["order_id"],
        "scope",
        "select order_id, customer_id from {orders} as orders where exists "
        "(select 1 from {line} as line where length(line.item) = orders.customer_id and line.quantity > 2)",
    ),
    "numbered_by_computed": Construct(
        ["order_id"],
        "scope",
        "select order_id, left(cast(amount as string), 1) as digit, count(*) over (partition by left(cast(amount as string), 1)) as n, "
        "row_number() over (partition by left(cast(amount as string), 1) order by cast(order_id as string)) as number from {orders}",
    ),
    "computed_of_grouped": Construct(
        ["code"],
        "scope",
        "select concat(coalesce(region, 'none'), '-', coalesce(name, 'none')) as code, days, names from (select customer.region, customer.name, "
        "count(distinct orders.day) as days, count(distinct customer.name) as names from {customer} as customer "
        "left join {orders} as orders on customer.customer_id = orders.customer_id group by customer.region, customer.name)",
    ),
    "distinct_computed": Construct(
        ["letters", "region"],
        "scope",
        "select distinct length(name) as letters, upper(region) as region from {customer}",
    ),
    "grouped_by_two_upstreams": Construct(
        ["code"],
        "full",
        "select concat(coalesce(line.item, 'x'), '-', cast(orders.day as string)) as code, count(distinct line.quantity) as quantities "
        "from {line} as line inner join {orders} as orders on line.order_id = orders.order_id group by 1",
    ),
    "ordered_over_distinct": Construct(
        ["order_number"],
        "scope",
        "select cast(order_number as string) as order_number, customer_id, row_number() over (partition by customer_id order by day, "
        "cast(order_number as decimal(12, 0))) as number from (select distinct order_id as order_number, customer_id, day from {orders})",
    ),
    "ordered_over_grouped": Construct(
        ["customer_id", "day"],
        "scope",
        "select customer_id, day, row_number() over (partition by customer_id order by dear desc, day_text) as number from "
        "(select customer_id, day, cast(day as string) as day_text, max(amount) as dear from {orders} group by customer_id, day)",
    ),
    "summed_in_many_digits": Construct(
        ["customer_id"],
        "aggregate",
        "select customer_id, sum(cast(amount as decimal(30, 2))) as total, coalesce(sum(cast(amount as decimal(38, 4))), 0) as or_nothing, "
        "min(day) as first_day from {orders} group by customer_id",
    ),
    "everything_in_many_digits": Construct(
        ["total"],
        "aggregate",
        "select sum(cast(line.quantity as decimal(20, 2)) * orders.amount) as total, count(orders.amount) as n, "
        "sum(cast(orders.amount as decimal(38, 6))) as amounts, count(*) as lines "
        "from {line} as line inner join {orders} as orders on line.order_id = orders.order_id",
    ),
    "on_models": Construct(
        ["customer_id"],
        "scope",
        "select grouped.customer_id, grouped.total, not_existing.region from [grouped] as grouped "
        "left join [not_existing] as not_existing on grouped.customer_id = not_existing.customer_id",
    ),
    "on_models_on_models": Construct(
        ["region"],
        "aggregate",
        "select region, count(*) as n, max(total) as most from [on_models] group by region",
    ),
}
