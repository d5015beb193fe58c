-- Grain: one finished production run with its overall equipment effectiveness (DOD-ETL 5).
{{ config(unique_key='production_id') }}
with

grain as (
    select
        production_id,
        sum(seconds) as observed_seconds,
        sum(if(status = 'on', seconds, 0)) as running_seconds
    from {{ ref('fct_production_grain') }}
    group by production_id
),

inspection as (
    select
        production_id,
        sum(inspected) as inspected,
        sum(rejected) as rejected
    from {{ ref('int_quality_current') }}
    group by production_id
),

run as (
    select
        production.production_id,
        production.equipment_id,
        production.item_code,
        cast(production.started_at as date) as production_date,
        production.pieces,
        unix_timestamp(production.ended_at) - unix_timestamp(production.started_at) as planned_seconds,
        grain.running_seconds,
        -- a decimal, so that sums do not depend on the order of the rows
        cast(production.pieces / equipment.max_speed * 3600 as decimal(18, 6)) as ideal_seconds,
        inspection.inspected,
        inspection.rejected
    from {{ ref('int_production_current') }} as production
    inner join grain on production.production_id = grain.production_id
    inner join {{ ref('int_equipment_current') }} as equipment on production.equipment_id = equipment.equipment_id
    left join inspection on production.production_id = inspection.production_id
    where production.ended_at is not null
)

select
    production_id,
    equipment_id,
    item_code,
    production_date,
    pieces,
    planned_seconds,
    running_seconds,
    ideal_seconds,
    coalesce(inspected, 0) as inspected,
    coalesce(rejected, 0) as rejected,
    running_seconds / planned_seconds as availability,
    cast(ideal_seconds as double) / nullif(running_seconds, 0) as performance,
    (inspected - rejected) / nullif(inspected, 0) as quality,
    cast(ideal_seconds as double) / planned_seconds * (inspected - rejected) / nullif(inspected, 0) as oee
from run
