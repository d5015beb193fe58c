{#- What is wrong with a history: versions that overlap, that end before they begin, that are both valid now, whose times are not those of
    their positions, or that end with nothing in the log to end them. -#}
{% test valid_history(model, column_name=none) %}
  {%- if execute -%}
    {%- set node = tests_history(model, 'valid_history') -%}
    {%- set keys = tests_history_keys(node) -%}
    {%- set by_key = 'partition by ' ~ keys | join(', ') ~ ' order by valid_from_position' -%}
with version as (
  select
    *,
    lead(valid_from_position) over ({{ by_key }}) as next_from_position,
    row_number() over ({{ by_key }}) = 1 as is_earliest
  from {{ model }}
),
ending as (
  select op, commit_position as ends_at, {{ keys | join(', ') }}
  from {{ tests_history_log(node) }}
  where op in ('d', 't')
),
judged as (
  select
    {{ adapter.sql_qualified('version', keys) }}, version.dbt_scd_id, version.valid_from_position, version.valid_to_position,
    case
      when version.valid_from_position is null then 'has no beginning'
      when version.valid_to_position <= version.valid_from_position then 'ends before it begins'
      when version.valid_to_position is null and version.next_from_position is not null then 'is valid now, and so is a later one'
      when version.valid_to_position > version.next_from_position then 'overlaps the next'
      when not version.dbt_valid_from <=> version.valid_from_position.committed_at
        or not version.dbt_valid_to <=> version.valid_to_position.committed_at then 'has other times than its positions'
      when not version.is_first_version <=> version.is_earliest then 'is marked as the first and is not, or the other way round'
      when version.valid_to_position is not null and not version.valid_to_position <=> version.next_from_position
        and ending.ends_at is null then 'ends where the log deletes nothing'
    end as problem
  from version
  left join ending
    on version.valid_to_position = ending.ends_at
    and (ending.op = 't'{% for key in keys %}{{ ' or (' if loop.first else ' and ' }}version.{{ key }} = ending.{{ key }}{% endfor %}))
)
select *
from judged
where problem is not null
  {%- endif -%}
{% endtest %}


{#- The snapshot with `strategy: commit_order` that a generic test is about, a node of dbt's graph. -#}
{% macro tests_history(tested, test) %}
  {%- set node = tests_node(test, tested) -%}
  {%- if node.config.get('strategy') != 'commit_order' -%}
    {%- do exceptions.raise_compiler_error(
      "Test " ~ test ~ ": " ~ node.name ~ " is no history; it is for snapshots with strategy: commit_order. See docs/history.md."
    ) -%}
  {%- endif -%}
  {{ return(node) }}
{% endmacro %}


{#- The columns of a history's business key. -#}
{% macro tests_history_keys(node) %}
  {%- set keys = node.config.unique_key -%}
  {{ return([keys] if keys is string else keys) }}
{% endmacro %}


{#- The log of changes that a history reads, a relation. -#}
{% macro tests_history_log(node) %}
  {%- do jobs_know() -%}
  {{ return((adapter.jobs_upstreams(node) | list)[0].relation) }}
{% endmacro %}
