-- Grain: one production as it is now.
select *
from {{ ref('production_history') }}
where valid_to_position is null
