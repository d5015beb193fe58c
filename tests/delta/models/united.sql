{{ config(unique_key=['kind', 'id'], delta_rule='join') }}
select 'line' as kind, line_id as id, item as text from {{ source('shop', 'line') }} where item is not null
union all
select 'customer' as kind, customer_id as id, name as text from {{ source('shop', 'customer') }}
union all
select 'order' as kind, orders.order_id as id, customer.region as text
from {{ source('shop', 'orders') }} inner join {{ source('shop', 'customer') }} on orders.customer_id = customer.customer_id
