-- Grain: one quality as it is now.
select *
from {{ ref('quality_history') }}
where valid_to_position is null
