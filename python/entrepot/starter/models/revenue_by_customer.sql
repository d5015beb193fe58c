-- Grain: one customer.
{{ config(unique_key='customer') }}
select
    customer,
    count(*) as orders,
    sum(amount) as revenue
from {{ ref('sale') }}
group by customer
