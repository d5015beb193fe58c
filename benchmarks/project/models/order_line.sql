-- Grain: one line of one order, with its order and customer: lineitem ⋈ orders ⋈ customer.
{{ config(unique_key=['l_orderkey', 'l_linenumber'], delta_rule=var('order_line_rule', none)) }}
select
  lineitem.l_orderkey, lineitem.l_linenumber, lineitem.l_partkey, lineitem.l_suppkey, lineitem.l_quantity, lineitem.l_extendedprice,
  lineitem.l_discount, lineitem.l_linestatus, lineitem.l_shipdate, orders.o_orderdate, orders.o_orderstatus, orders.o_orderpriority,
  customer.c_custkey, customer.c_nationkey, customer.c_mktsegment
from {{ source('tpch', 'lineitem') }} as lineitem
inner join {{ source('tpch', 'orders') }} as orders on lineitem.l_orderkey = orders.o_orderkey
inner join {{ source('tpch', 'customer') }} as customer on orders.o_custkey = customer.c_custkey
