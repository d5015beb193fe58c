-- Grain: one version of one item, put together from the shop and the plant.
{{ config(materialized='view') }}
select
    dbt_scd_id as item_key,
    item_code,
    name,
    price,
    is_active,
    steel_grade,
    weight,
    dbt_valid_from as valid_from,
    dbt_valid_to as valid_to,
    valid_to_position is null as is_current
from {{ ref('item_history') }}
