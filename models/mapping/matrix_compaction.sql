-- Grain: the mapping matrix as a whole, one row: its size, and what each step of both strategies leaves of it (METL 3.5, 5.3.1, 5.3.2).
{{ config(materialized='view') }}
with

schema_version as (
    select
        schema,
        version,
        count(attribute) as attributes
    from {{ ref('schema_tree') }}
    group by schema, version
),

entity_version as (
    select
        entity,
        entity_version,
        count(*) as attributes
    from {{ ref('entity_attribute') }}
    group by entity, entity_version
),

domain_tree as (
    select
        count(distinct schema) as source_schemas,
        count(*) as schema_versions,
        coalesce(sum(attributes), 0) as matrix_columns
    from schema_version
),

range_tree as (
    select
        count(distinct entity) as entities,
        count(*) as entity_versions,
        coalesce(sum(attributes), 0) as matrix_rows
    from entity_version
),

block as (
    select
        sum(if(balanced_elements > 0, 1, 0)) as blocks_not_null,
        sum(if(balanced_elements > 0, elements, 0)) as elements_not_null,
        sum(elements) as super_block_elements,
        sum(if(unique_elements > 0, 1, 0)) as unique_blocks,
        sum(balanced_elements) as balanced_elements,
        sum(unique_elements) as unique_elements
    from {{ ref('block_compaction') }}
),

size as (
    select
        domain_tree.*,
        range_tree.*,
        domain_tree.matrix_columns * range_tree.matrix_rows as elements,
        domain_tree.schema_versions * range_tree.entity_versions as blocks,
        coalesce(block.blocks_not_null, 0) as blocks_not_null,
        coalesce(block.unique_blocks, 0) as unique_blocks,
        coalesce(block.balanced_elements, 0) as balanced_elements,
        coalesce(block.unique_elements, 0) as unique_elements,
        coalesce(block.elements_not_null, 0) as elements_not_null,
        coalesce(block.super_block_elements, 0) as super_block_elements
    from domain_tree
    cross join range_tree
    cross join block
)

select
    source_schemas,
    schema_versions,
    matrix_columns,
    entities,
    entity_versions,
    matrix_rows,
    elements,
    blocks,
    blocks_not_null,
    unique_blocks,
    balanced_elements,
    unique_elements,
    coalesce(100 * (1 - elements_not_null / nullif(elements, 0)), 0) as null_block_compaction,
    coalesce(100 * (1 - balanced_elements / nullif(elements, 0)), 0) as balanced_compaction,
    coalesce(100 * (1 - super_block_elements / nullif(elements, 0)), 0) as null_super_block_compaction,
    coalesce(100 * (1 - unique_elements / nullif(elements, 0)), 0) as unique_compaction
from size
