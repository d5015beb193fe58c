{#- SQL: the moment of a commit position, to look a version up by: rows that stand at one place of the log, as all rows of
    a snapshot do, are simultaneous, whatever their order within it. -#}
{% macro history_moment(position) -%}
struct({{ position }}.committed_at, {{ position }}.source_system, {{ position }}.log_commit, {{ position }}.log_position)
{%- endmacro %}
