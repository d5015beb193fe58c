-- Grain: one finished production run that waits for its equipment or for a status interval.
select
    production.production_id,
    production.equipment_id,
    production.dbt_valid_from as committed_at,
    if(equipment.equipment_id is null, 'equipment', 'equipment_status') as waits_for
from {{ ref('int_production_current') }} as production
left join {{ ref('int_equipment_current') }} as equipment on production.equipment_id = equipment.equipment_id
left anti join {{ ref('fct_production_grain') }} as fact on production.production_id = fact.production_id
where production.ended_at is not null
