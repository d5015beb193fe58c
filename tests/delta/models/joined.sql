{{ config(unique_key='line_id', delta_rule='join') }}
select line.line_id, orders.order_id, customer.customer_id, customer.name, line.item, line.quantity * orders.amount as amount
from {{ source('shop', 'line') }}
inner join {{ source('shop', 'orders') }} on line.order_id = orders.order_id
inner join {{ source('shop', 'customer') }} on orders.customer_id = customer.customer_id
where line.quantity > 1
