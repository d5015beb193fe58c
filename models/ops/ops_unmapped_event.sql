-- Grain: one change event that no block maps, or one entity that a block could not map it to.
select
    event.event_id,
    event.schema_name,
    event.schema_version,
    event.op,
    event.committed_at,
    cast(null as string) as entity,
    'no block' as reason
from {{ ref('change_event') }} as event
left anti join {{ ref('balanced_set') }} as block on event.schema_name = block.schema and event.schema_version = block.version
where event.op in ('c', 'r', 'u', 'd')
{% for entity in mapping_mapped_entities() %}
union all
select
    event_id,
    schema_name,
    schema_version,
    op,
    committed_at,
    '{{ entity }}' as entity,
    mapping_error as reason
from {{ ref('mapped_' ~ entity) }}
where mapping_error is not null
{% endfor %}
