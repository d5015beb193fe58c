-- Grain: one version of one equipment unit.
{{ config(materialized='view') }}
select
    dbt_scd_id as equipment_key,
    equipment_id,
    name,
    production_line,
    max_speed,
    commissioned_on,
    dbt_valid_from as valid_from,
    dbt_valid_to as valid_to,
    valid_to_position is null as is_current
from {{ ref('equipment_history') }}
