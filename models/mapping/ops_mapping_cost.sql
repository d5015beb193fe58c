-- Grain: one mapped model: what it maps, what a mapping takes, and how large it is as compiled (METL 7, the dashboards).
{{ config(materialized='view') }}
with

mapping as (
    select
        entity,
        entity_version,
        count(distinct schema) as source_schemas,
        count(distinct concat(schema, ' ', version)) as schema_versions,
        count(*) as elements
    from {{ ref('balanced_set') }}
    group by entity, entity_version
),

cost as (
    select
        relation,
        entity,
        entity_version,
        count(*) as jobs,
        max(job_number) as last_job_number,
        sum(events_mapped) as events_mapped,
        sum(seconds) as seconds,
        1000 * sum(seconds) / sum(events_mapped) as milliseconds_per_event,
        max_by(milliseconds_per_event, job_number) as last_milliseconds_per_event,
        max_by(blocks, job_number) filter (where blocks is not null) as blocks,
        max_by(sql_characters, job_number) filter (where blocks is not null) as sql_characters
    from {{ ref('ops_mapping_run') }}
    group by relation, entity, entity_version
)

select
    cost.relation,
    cost.entity,
    cost.entity_version,
    coalesce(mapping.source_schemas, 0) as source_schemas,
    coalesce(mapping.schema_versions, 0) as schema_versions,
    coalesce(mapping.elements, 0) as elements,
    cost.blocks,
    cost.sql_characters,
    cost.jobs,
    cost.last_job_number,
    cost.events_mapped,
    cost.seconds,
    cost.milliseconds_per_event,
    cost.last_milliseconds_per_event
from cost
left join mapping on cost.entity = mapping.entity and cost.entity_version = mapping.entity_version
