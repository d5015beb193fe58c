-- Grain: one attribute of one schema version, registered in the seed or discovered in an event: the domain tree (METL 5.3).
{{ config(materialized='view') }}
select
    schema,
    version,
    attribute,
    data_type,
    position,
    coalesce(is_key, false) as is_key,
    renamed_from,
    'seed' as origin,
    cast(null as string) as first_event_id
from {{ ref('schema_attribute') }}
union all
select
    discovered.schema,
    discovered.version,
    discovered.attribute,
    discovered.data_type,
    discovered.position,
    discovered.is_key,
    cast(null as string) as renamed_from,
    'discovered' as origin,
    discovered.first_event_id
from {{ ref('discovered_schema_attribute') }} as discovered
left anti join {{ ref('schema_attribute') }} as registered
    on discovered.schema = registered.schema and discovered.version = registered.version
