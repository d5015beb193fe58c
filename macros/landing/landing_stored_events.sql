{#- SQL: what of the stored change events a batch can meet: of each source that is in it those from its first commit or write on, and where each epoch
    of the source stood before. Sources and positions are literals, by which Delta leaves files out; only where the epochs stood is looked for in all
    files of a source, in few columns. -#}
{% macro landing_stored_events(events, starts) -%}
{%- set of_source, from_start = [], [] -%}
{%- for start in starts -%}
  {%- set source = 'source_system = ' ~ adapter.sql_literal(start.source_system) ~ ' and source_database <=> ' ~ adapter.sql_literal(start.source_database) -%}
  {%- do of_source.append(source) -%}
  {%- do from_start.append(source ~ ' and (commit_position.log_commit >= ' ~ start.log_commit ~ ' or commit_position.log_position >= ' ~ start.log_position ~ ')') -%}
{%- endfor -%}
select
    event_id,
    source_system,
    source_database,
    struct(commit_position.log_commit, commit_position.log_position, commit_position.committed_at) as commit_position,
    landed_offset
from {{ events }}
where {{ from_start | join(' or ') }}
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
    from (
        select source_system, source_database, commit_position
        from {{ events }}
        where ({{ of_source | join(' or ') }}) and not ({{ from_start | join(' or ') }})
    ) as event
    left join ({{ entrepot.landing_epochs(jobs_named_relation('source_log', 'landing (docs/architecture.md)')) }}) as epoch
        on event.source_system = epoch.source_system and event.source_database <=> epoch.source_database
)
group by source_system, source_database, log_epoch
{%- endmacro %}
