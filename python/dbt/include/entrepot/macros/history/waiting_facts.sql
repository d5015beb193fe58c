{#- The rows that wait for their master data before they become rows of a fact (DOD-ETL 4: operational message buffer), a SELECT to stand in a view: all their
    columns, since when they wait, and what for. It does not ask for the time: jobs would count such a view anew though nothing has changed. -#}
{% macro waiting_facts(rows, fact, key, needs, committed_at='dbt_valid_from', otherwise='the version of that time') -%}
{%- set keys = [key] if key is string else key -%}
{%- set missing = [] -%}
{%- for name, need in needs.items() -%}
  {%- do missing.append("if(waiting." ~ need[1] ~ " is not null and " ~ name ~ "." ~ need[1] ~ " is null, '" ~ name ~ "', null)") -%}
{%- endfor -%}
select
    waiting.* except ({{ committed_at }}),
    waiting.{{ committed_at }} as committed_at,
    coalesce(nullif(concat_ws(', ',
        {{ missing | join(',\n        ') }}
    ), ''), '{{ otherwise }}') as waits_for
from {{ rows }} as waiting
{%- for name, need in needs.items() %}
left join (select distinct {{ need[1] }} from {{ need[0] }}) as {{ name }} on waiting.{{ need[1] }} = {{ name }}.{{ need[1] }}
{%- endfor %}
left anti join {{ fact }} as fact on
{%- for name in keys %}{{ ' and' if not loop.first }} waiting.{{ name }} = fact.{{ name }}{% endfor %}
{%- endmacro %}
