{{ config(unique_key='customer_id', delta_rule='full') }}
select customer_id, amount, rank() over (order by amount desc nulls last) as place from {{ ref('per_customer') }}
