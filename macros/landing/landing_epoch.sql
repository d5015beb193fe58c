{#- SQL: a commit time that may order changes; null for one that cannot be, more than a day after it landed. -#}
{% macro landing_log_time(committed_at, landed_at='current_timestamp()') -%}
if({{ committed_at }} <= {{ landed_at }} + interval 1 day, {{ committed_at }}, null)
{%- endmacro %}


{#- SQL: the epoch of a source's log that a change belongs to, the time at which it began; null for the first. What has no time that can be
    believed belongs to the newest. -#}
{% macro landing_epoch_of(log_time, began_at) -%}
array_max(filter({{ began_at }}, epoch_began_at -> coalesce(epoch_began_at <= {{ log_time }}, true)))
{%- endmacro %}


{#- SQL: when the epochs of each source's log began, of a relation like `source_log`; sources whose log never went back are not in it. -#}
{% macro landing_epochs(source_log) -%}
select
        source_system,
        source_database,
        collect_list(epoch_began_at) as began_at
    from {{ source_log }}
    where epoch_began_at is not null
    group by source_system, source_database
{%- endmacro %}
