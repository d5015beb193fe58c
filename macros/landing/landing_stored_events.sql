{#- SQL: what of the stored change events a batch can meet: those from its first commit or write on, and where each epoch of a source stood before.
    Positions are literals, by which Delta leaves files out; only where the epochs stood is looked for in all of them, in few columns. -#}
{% macro landing_stored_events(events, start) -%}
{%- set is_from_start = 'commit_position.log_commit >= ' ~ start.log_commit ~ ' or commit_position.log_position >= ' ~ start.log_position -%}
select
    event_id,
    source_system,
    source_database,
    struct(commit_position.log_commit, commit_position.log_position, commit_position.committed_at) as commit_position,
    landed_offset
from {{ events }}
where {{ is_from_start }}
union all
select
    cast(null as string) as event_id,
    source_system,
    source_database,
    struct(max(log_commit) as log_commit, max(log_position) as log_position, max(committed_at) as committed_at) as commit_position,
    cast(null as bigint) as landed_offset
from (
    select
        event.source_system,
        event.source_database,
        event.commit_position.log_commit,
        event.commit_position.log_position,
        event.commit_position.committed_at,
        {{ entrepot.landing_epoch_of('event.commit_position.committed_at', 'epoch.began_at') }} as log_epoch
    from {{ events }} as event
    left join ({{ entrepot.landing_epochs(jobs_named_relation('source_log', 'landing (docs/architecture.md)')) }}) as epoch
        on event.source_system = epoch.source_system and event.source_database <=> epoch.source_database
    where not ({{ is_from_start }})
)
group by source_system, source_database, log_epoch
{%- endmacro %}
