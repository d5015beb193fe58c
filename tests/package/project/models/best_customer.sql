-- Grain: one region.
{{ config(materialized='view') }}
select region, max_by(customer_name, amount) as customer_name from {{ ref('sale_by_customer') }} group by region
