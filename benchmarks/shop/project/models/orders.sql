{{ config(unique_key='order_id') }}
with summary as (
  select
    order_id, sum(supply_cost) as order_cost, sum(product_price) as order_items_subtotal, count(order_item_id) as count_order_items,
    sum(case when is_food_item then 1 else 0 end) as count_food_items,
    sum(case when is_drink_item then 1 else 0 end) as count_drink_items
  from {{ ref('order_items') }}
  group by order_id
)
select
  orders.*, summary.order_cost, summary.order_items_subtotal, summary.count_food_items, summary.count_drink_items,
  summary.count_order_items, summary.count_food_items > 0 as is_food_order, summary.count_drink_items > 0 as is_drink_order,
  row_number() over (partition by orders.customer_id order by orders.ordered_at, orders.order_id) as customer_order_number
from {{ ref('stg_orders') }} as orders
left join summary on orders.order_id = summary.order_id
