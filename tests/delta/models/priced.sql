{{ config(unique_key=['line_id', 'price_id'], delta_rule='join') }}
select line.line_id, price.price_id, orders.day, line.quantity * price.price as amount
from {{ source('shop', 'line') }} as line
inner join {{ source('shop', 'orders') }} as orders on line.order_id = orders.order_id
inner join {{ source('shop', 'price') }} as price
  on line.item = price.item and orders.day >= price.from_day and (price.to_day is null or orders.day < price.to_day)
