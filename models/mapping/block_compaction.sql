-- Grain: one block of the mapping matrix (METL 5.3.1), a schema version against an entity version, of schemas that feed the entity.
{{ config(materialized='view') }}
with

source as (
    select
        schema,
        version,
        count(attribute) as attributes
    from {{ ref('schema_tree') }}
    group by schema, version
),

target as (
    select
        entity,
        entity_version,
        count(*) as attributes
    from {{ ref('entity_attribute') }}
    group by entity, entity_version
),

super_block as (
    select distinct
        schema,
        entity
    from {{ ref('unique_set') }}
),

balanced as (
    select
        schema,
        version,
        entity,
        entity_version,
        count(*) as elements
    from {{ ref('balanced_set') }}
    group by schema, version, entity, entity_version
),

-- a null block is one element
kept as (
    select
        schema,
        version,
        entity,
        entity_version,
        count(*) as elements
    from {{ ref('unique_set') }}
    group by schema, version, entity, entity_version
)

select
    source.schema,
    source.version,
    target.entity,
    target.entity_version,
    source.attributes * target.attributes as elements,
    coalesce(balanced.elements, 0) as balanced_elements,
    coalesce(kept.elements, 0) as unique_elements
from super_block
inner join source on super_block.schema = source.schema
inner join target on super_block.entity = target.entity
left join balanced
    on
    source.schema = balanced.schema
    and source.version = balanced.version
    and target.entity = balanced.entity
    and target.entity_version = balanced.entity_version
left join kept
    on
    source.schema = kept.schema
    and source.version = kept.version
    and target.entity = kept.entity
    and target.entity_version = kept.entity_version
