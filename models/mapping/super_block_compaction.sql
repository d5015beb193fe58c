-- Grain: one version super-block of the mapping matrix (METL 5.3.2): all versions of a schema against all versions of an entity that it feeds.
{{ config(materialized='view') }}
with

size as (
    select
        schema,
        entity,
        count(*) as blocks,
        sum(if(balanced_elements > 0, 1, 0)) as blocks_not_null,
        sum(if(unique_elements > 0, 1, 0)) as unique_blocks,
        sum(elements) as elements,
        sum(balanced_elements) as balanced_elements,
        sum(unique_elements) as unique_elements
    from {{ ref('block_compaction') }}
    group by schema, entity
)

select
    *,
    100 * (1 - balanced_elements / elements) as balanced_compaction,
    100 * (1 - unique_elements / elements) as unique_compaction
from size
