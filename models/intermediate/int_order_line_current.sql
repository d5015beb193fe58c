-- Grain: one order line as it is now.
select *
from {{ ref('order_line_history') }}
where valid_to_position is null
