-- Grain: the time that one finished production run and one status interval of its equipment have in common (DOD-ETL: fact grain).
{{ config(unique_key=['production_id', 'status_id']) }}
select
    production.production_id,
    status.status_id,
    production.equipment_id,
    equipment.production_line,
    status.status,
    greatest(production.started_at, status.started_at) as started_at,
    least(production.ended_at, coalesce(status.ended_at, production.ended_at)) as ended_at,
    unix_timestamp(least(production.ended_at, coalesce(status.ended_at, production.ended_at)))
    - unix_timestamp(greatest(production.started_at, status.started_at)) as seconds
from {{ ref('int_production_current') }} as production
inner join {{ ref('int_equipment_current') }} as equipment on production.equipment_id = equipment.equipment_id
inner join {{ ref('int_equipment_status_current') }} as status
    on production.equipment_id = status.equipment_id
    and status.started_at < production.ended_at
    and coalesce(status.ended_at, production.ended_at) > production.started_at
where production.ended_at is not null
