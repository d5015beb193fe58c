-- Grain: one item sold in one order to a known customer.
{{ config(materialized='incremental', incremental_strategy='delta', unique_key=['order_id', 'item'], delta_rule='join') }}
select sale.order_id, sale.item, sale.sold_on, sale.amount, customer.customer_id, customer.name as customer_name, country.region
from {{ source('shop', 'sale') }} as sale
inner join {{ source('shop', 'customer') }} as customer on sale.customer_id = customer.customer_id
inner join {{ ref('country') }} as country on customer.country = country.country
