-- Grain: one mapped model in one job in which it mapped events (METL 7: how many mappings there are, and the time that they take).
{{ config(materialized='view') }}
with

mapped as (
    select
        cast(null as string) as relation,
        cast(null as string) as entity,
        cast(null as int) as entity_version
    where false
    {%- for model in mapping_mapped_models() %}
    union all
    select
        '{{ model.relation }}' as relation,
        '{{ model.entity }}' as entity,
        cast({{ model.entity_version or 'null' }} as int) as entity_version
    {%- endfor %}
),

newest as (
    select
        entity,
        max(entity_version) as entity_version
    from {{ ref('entity_attribute') }}
    group by entity
),

-- each block has a line of comment in the SQL (macro mapping_branch_sql)
compiled as (
    select
        relation,
        sql_hash,
        max(regexp_count(sql, '(?m)^-- .+ versions [0-9, ]+: [0-9]+ of [0-9]+ attributes$')) as blocks,
        max(length(sql)) as sql_characters
    from {{ source('ops', 'model_verdict') }}
    group by relation, sql_hash
),

done as (
    select
        *,
        rows_inserted + rows_updated as events_mapped
    from {{ source('ops', 'model_run') }}
    where status = 'success' and rows_inserted + rows_updated > 0
)

select
    done.number as job_number,
    done.relation,
    mapped.entity,
    coalesce(mapped.entity_version, newest.entity_version) as entity_version,
    done.rule,
    done.rows_read as events_read,
    done.events_mapped,
    compiled.blocks,
    compiled.sql_characters,
    published.detail as mapping_state,
    done.seconds,
    1000 * done.seconds / done.events_mapped as milliseconds_per_event,
    1000 * done.seconds / nullif(compiled.blocks, 0) as milliseconds_per_block
from done
inner join mapped on done.relation = mapped.relation
left join newest on mapped.entity = newest.entity
left join {{ source('ops', 'published_snapshot') }} as published
    on done.job = published.job and done.relation = published.relation
left join compiled on published.relation = compiled.relation and published.sql_hash = compiled.sql_hash
