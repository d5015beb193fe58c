{{ config(unique_key='order_item_id') }}
with supply_cost as (
  select product_id, sum(supply_cost) as supply_cost from {{ ref('stg_supplies') }} group by product_id
)
select
  item.order_item_id, item.order_id, item.product_id, orders.ordered_at, product.product_name, product.product_price,
  product.is_food_item, product.is_drink_item, supply_cost.supply_cost
from {{ ref('stg_order_items') }} as item
left join {{ ref('stg_orders') }} as orders on item.order_id = orders.order_id
left join {{ ref('stg_products') }} as product on item.product_id = product.product_id
left join supply_cost on item.product_id = supply_cost.product_id
