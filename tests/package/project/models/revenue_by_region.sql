-- Grain: one region.
{{ config(unique_key='region', scope={'sale_by_customer': ['region']}) }}
select region, count(*) as sales, count(distinct customer_id) as customers, sum(amount) as revenue
from {{ ref('sale_by_customer') }}
group by region
