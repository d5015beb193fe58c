-- Grain: one payment as it is now.
select *
from {{ ref('payment_history') }}
where valid_to_position is null
