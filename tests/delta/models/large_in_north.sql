{{ config(unique_key='line_id', delta_rule='join') }}
select large.line_id, large.amount, north.name, numbered.number
from {{ ref('large') }} as large
inner join {{ ref('north') }} as north on large.customer_id = north.customer_id
inner join {{ ref('numbered') }} as numbered on large.order_id = numbered.order_id
