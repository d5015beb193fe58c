-- Grain: one finished production run that waits for its equipment or for a status interval.
with

production as (
    select
        production_id,
        equipment_id,
        dbt_valid_from
    from {{ ref('int_production_current') }}
    where ended_at is not null
)

{{ waiting_facts('production', ref('fct_production_grain'), 'production_id', {
    'equipment': [ref('int_equipment_current'), 'equipment_id'],
    'equipment_status': [ref('int_equipment_status_current'), 'equipment_id'],
}, otherwise='a status of that time') }}
