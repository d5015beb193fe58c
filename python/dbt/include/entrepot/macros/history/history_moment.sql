{#- SQL: the moment of a commit position, to look a version up by: rows that stand at one place of the log, as all rows of
    a snapshot do, are simultaneous, whatever their order within it. -#}
{% macro history_moment(position) -%}
struct(
{%- for part in history_moment_parts() -%}
{{ position }}.{{ part }}{{ ', ' if not loop.last }}
{%- endfor -%}
)
{%- endmacro %}


{#- The fields of a commit position that tell one place of the log from another, the first one the most significant. -#}
{% macro history_moment_parts() %}
  {{ return(['committed_at', 'source_system', 'log_commit', 'log_position']) }}
{% endmacro %}
