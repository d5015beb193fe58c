-- Grain: one version of one customer.
{{ config(materialized='view') }}
select
    dbt_scd_id as customer_key,
    customer_id,
    name,
    email,
    phone,
    city,
    credit_limit,
    created_at,
    dbt_valid_from as valid_from,
    dbt_valid_to as valid_to,
    valid_to_position is null as is_current
from {{ ref('customer_history') }}
