-- Grain: one branch (market segment) of one nation: what its orders have in lines that are not shipped yet.
{{ config(unique_key=['nation_key', 'branch'], delta_rule=var('incomplete_orders_rule', none)) }}
select
  region.r_name as region, nation.n_name as nation, line.c_nationkey as nation_key, line.c_mktsegment as branch,
  min(line.l_extendedprice) as smallest_price, max(line.l_extendedprice) as largest_price,
  sum(line.l_extendedprice) as price, count(*) as lines
from {{ ref('order_line') }} as line
inner join {{ source('tpch', 'nation') }} as nation on line.c_nationkey = nation.n_nationkey
inner join {{ source('tpch', 'region') }} as region on nation.n_regionkey = region.r_regionkey
where line.l_linestatus = 'O'
group by region.r_name, nation.n_name, line.c_nationkey, line.c_mktsegment
