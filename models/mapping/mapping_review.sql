-- Grain: one block that shrank, or became null, by itself and waits for somebody to store it (METL 5.4.4).
{{ config(materialized='view') }}
with

block as (
    select
        schema,
        version,
        entity,
        max(entity_version) as entity_version,
        collect_set(entity_attribute) as elements
    from {{ ref('unique_set') }}
    group by schema, version, entity
),

-- version numbers may have gaps
version_before as (
    select
        schema,
        version,
        lag(version) over (partition by schema order by version) as before
    from {{ ref('schema_tree') }}
    group by schema, version
),

before as (
    select
        block.schema,
        block.version,
        block.entity,
        collect_set(element.entity_attribute) as elements,
        map_from_entries(collect_list(struct(element.entity_attribute, element.attribute))) as attributes
    from block
    inner join version_before on block.schema = version_before.schema and block.version = version_before.version
    inner join {{ ref('balanced_set') }} as element
        on block.schema = element.schema and block.entity = element.entity and version_before.before = element.version
    group by block.schema, block.version, block.entity
)

select
    block.schema,
    block.version,
    block.entity,
    block.entity_version,
    size(before.elements) as elements_before,
    size(block.elements) as elements_after,
    array_join(
        array_sort(transform(array_except(before.elements, block.elements), element -> before.attributes[element])), ', '
    ) as vanished
from block
inner join before on block.schema = before.schema and block.version = before.version and block.entity = before.entity
left anti join {{ ref('unique_block') }} as stored
    on block.schema = stored.schema and block.version = stored.version and block.entity = stored.entity
