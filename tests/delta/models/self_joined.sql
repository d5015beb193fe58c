{{ config(unique_key=['earlier', 'later'], delta_rule='join') }}
select a.order_id as earlier, b.order_id as later, a.customer_id, b.amount - a.amount as difference
from {{ source('shop', 'orders') }} as a
inner join {{ source('shop', 'orders') }} as b on a.customer_id = b.customer_id and a.order_id < b.order_id
