-- Grain: one block that shrank, or became null, by itself and waits for somebody to store it (METL 5.4.4), of one entity version.
{{ config(materialized='view') }}
with

changed as (
    select distinct
        computed.schema,
        computed.version,
        computed.entity
    from {{ ref('unique_set') }} as computed
    left anti join {{ ref('unique_block') }} as stored
        on
        computed.schema = stored.schema
        and computed.version = stored.version
        and computed.entity = stored.entity
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
        changed.schema,
        changed.version,
        changed.entity,
        element.entity_version,
        collect_set(element.entity_attribute) as elements,
        map_from_entries(collect_list(struct(element.entity_attribute, element.attribute))) as attributes
    from changed
    inner join version_before on changed.schema = version_before.schema and changed.version = version_before.version
    inner join {{ ref('balanced_set') }} as element
        on changed.schema = element.schema and changed.entity = element.entity and version_before.before = element.version
    group by changed.schema, changed.version, changed.entity, element.entity_version
),

block as (
    select
        schema,
        version,
        entity,
        entity_version,
        collect_set(entity_attribute) as elements
    from {{ ref('balanced_set') }}
    group by schema, version, entity, entity_version
),

review as (
    select
        before.*,
        coalesce(block.elements, array()) as elements_left
    from before
    left join block
        on
        before.schema = block.schema
        and before.version = block.version
        and before.entity = block.entity
        and before.entity_version = block.entity_version
)

select
    schema,
    version,
    entity,
    entity_version,
    size(elements) as elements_before,
    size(elements_left) as elements_after,
    array_join(
        array_sort(transform(array_except(elements, elements_left), element -> attributes[element])), ', '
    ) as vanished
from review
where size(elements) > size(elements_left)
