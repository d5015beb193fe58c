-- Grain: one equipment as it is now.
select *
from {{ ref('equipment_history') }}
where valid_to_position is null
