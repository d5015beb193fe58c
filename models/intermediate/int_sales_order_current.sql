-- Grain: one sales order as it is now.
select *
from {{ ref('sales_order_history') }}
where valid_to_position is null
