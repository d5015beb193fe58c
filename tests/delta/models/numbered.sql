{{ config(unique_key='order_id', scope={'shop.orders': ['customer_id']}, scope_key='customer_id') }}
select order_id, customer_id, row_number() over (partition by customer_id order by order_id) as number,
  lag(amount) over (partition by customer_id order by order_id) as amount_before
from {{ source('shop', 'orders') }}
