-- Grain: one equipment status as it is now.
select *
from {{ ref('equipment_status_history') }}
where valid_to_position is null
