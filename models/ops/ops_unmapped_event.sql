-- Grain: one change event that no block maps, or that a block could not map.
select
    event.event_id,
    event.schema_name,
    event.schema_version,
    event.op,
    event.committed_at,
    'no block' as reason
from {{ ref('change_event') }} as event
left anti join {{ ref('balanced_set') }} as block on event.schema_name = block.schema and event.schema_version = block.version
where event.op in ('c', 'r', 'u', 'd')
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'customer: ' || mapping_error as reason
from {{ ref('mapped_customer') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'item: ' || mapping_error as reason
from {{ ref('mapped_item') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'sales_order: ' || mapping_error as reason
from {{ ref('mapped_sales_order') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'order_line: ' || mapping_error as reason
from {{ ref('mapped_order_line') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'payment: ' || mapping_error as reason
from {{ ref('mapped_payment') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'equipment: ' || mapping_error as reason
from {{ ref('mapped_equipment') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'production: ' || mapping_error as reason
from {{ ref('mapped_production') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'equipment_status: ' || mapping_error as reason
from {{ ref('mapped_equipment_status') }}
where mapping_error is not null
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    'quality: ' || mapping_error as reason
from {{ ref('mapped_quality') }}
where mapping_error is not null
