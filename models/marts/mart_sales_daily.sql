-- Grain: one item on one day of orders.
{{ config(unique_key=['order_date', 'item_code']) }}
select
    order_date,
    item_code,
    count(distinct order_id) as orders,
    sum(quantity) as quantity,
    sum(amount) as revenue
from {{ ref('fct_order_line') }}
where order_status != 'cancelled'
group by order_date, item_code
