-- Grain: one version of one source schema, registered in the seed or discovered from an event, with its field list.
{{ config(materialized='view') }}
with

registered as (
    {{ landing_known_versions(ref('schema_attribute')) }}
),

discovered as (
    {{ landing_known_versions(ref('discovered_schema_attribute')) }}
)

select
    schema,
    version,
    attribute_names,
    attribute_types,
    'seed' as origin
from registered
union all
select
    discovered.schema,
    discovered.version,
    discovered.attribute_names,
    discovered.attribute_types,
    'discovered' as origin
from discovered
left anti join registered on discovered.schema = registered.schema and discovered.version = registered.version
