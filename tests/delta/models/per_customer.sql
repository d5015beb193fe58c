{{ config(unique_key='customer_id', scope={'shop.customer': ['customer_id'], 'shop.orders': ['customer_id']}) }}
select customer.customer_id, customer.name, count(orders.order_id) as orders, sum(orders.amount) as amount, max(orders.day) as last_day
from {{ source('shop', 'customer') }} as customer
left join {{ source('shop', 'orders') }} as orders on customer.customer_id = orders.customer_id
group by customer.customer_id, customer.name
