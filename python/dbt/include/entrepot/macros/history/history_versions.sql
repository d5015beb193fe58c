{#- SQL: the versions (SCD type 2) of every key in a log of changes, by commit position (OD-ETL 3.5.2).
    `log` is a select with op, commit_position, schema_name, after, present, mapping_error and the `keys`; `attributes`
    are fields of `after`, and so are the `untracked` ones, which have the value of the moment in which a version begins.
    An attribute that an image does not carry keeps its value (absent is not null); a delete ends a version and forgets
    its values; a truncate deletes every key that its schema has fed until then; an event that changes no attribute makes no
    version, and so does one that is there twice. With `survivorship` each source system has a life of the key of its own; the
    key is there while one of them has it, and an attribute is that of the first system in its order that has a value.
    Columns: keys, attributes, untracked, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to (commit times), the positions
    valid_from_position and valid_to_position, and is_first_version. -#}
{% macro history_versions(log, keys, attributes, untracked=[], survivorship=none) %}
  {%- set key_list = keys | join(', ') -%}
  {%- set by_key = 'partition by ' ~ key_list ~ ' order by commit_position' -%}
-- entrepot: versions of {{ key_list }} by commit position
with log as (
{{ log }}
),
event as (
  select
    {{ key_list }}, schema_name, {{ 'source_system, ' if survivorship }}op, commit_position, after, present,
    row_number() over (partition by {{ key_list }}, schema_name order by commit_position) = 1 as is_first_of_schema
  from log
  where mapping_error is null and op in ('c', 'r', 'u', 'd') and {{ history_has_place('commit_position') }}{% for key in keys %} and {{ key }} is not null{% endfor %}
),
truncate as (
  select schema_name, collect_list(commit_position) as positions from log where op = 't' and {{ history_has_place('commit_position') }} group by schema_name
),
change as (
  select {{ key_list }}, {{ 'source_system, ' if survivorship }}change.*
  from (
    select {{ adapter.sql_qualified('event', keys) }}, {{ 'event.source_system, ' if survivorship }}explode(concat(
      array(struct(event.op as op, event.commit_position as commit_position, event.after as after, event.present as present)),
      coalesce(transform(
        if(event.is_first_of_schema, filter(truncate.positions, position -> position > event.commit_position), null),
        position -> struct('d' as op, position as commit_position, null as after, array() as present)
      ), array())
    )) as change
    from event
    left join truncate on event.schema_name = truncate.schema_name
  )
),
{%- if survivorship %}
life_of_all as (
  select * except (op), op as op_of_system, if({{ history_any_has_it(survivorship.systems) }}, 'u', 'd') as op
  from change
  window life as ({{ by_key }} rows between unbounded preceding and current row)
),
{%- endif %}
known as (
  select
    {{ key_list }}, op, commit_position,
    {{ history_known_values(attributes, survivorship) }} as image,
{%- if untracked %}
    {{ history_known_values(untracked, survivorship) }} as beside,
{%- endif %}
    lag(op, 1, 'd') over ({{ by_key }}) as op_before,
    count_if(op != 'd') over life as changes
  from {{ 'life_of_all' if survivorship else 'change' }}
  window life as ({{ by_key }} rows between unbounded preceding and current row)
),
step as (
  select *
  from known
  qualify op = 'd' or op_before = 'd' or not (image <=> lag(image) over ({{ by_key }}))
),
version as (
  select *, lead(commit_position) over ({{ by_key }}) as valid_to_position
  from step
)
select
  {{ key_list }},
{%- for attribute in attributes %}
  image.{{ attribute }},
{%- endfor %}
{%- for attribute in untracked %}
  beside.{{ attribute }},
{%- endfor %}
  md5(to_json(struct({{ key_list }}, commit_position.event_id))) as dbt_scd_id,
  commit_position.committed_at as dbt_updated_at,
  commit_position.committed_at as dbt_valid_from,
  valid_to_position.committed_at as dbt_valid_to,
  commit_position as valid_from_position,
  valid_to_position,
  changes = 1 as is_first_version
from version
where op != 'd'
{% endmacro %}


{#- SQL: what is known of some attributes after an event, as a struct: the last value that an image carried, null after a delete; where systems
    have an order, the first value in it. -#}
{% macro history_known_values(attributes, survivorship=none) -%}
struct(
{%- for attribute in attributes %}
{%- if survivorship %}
      coalesce(
{%- for is_of_system in history_systems(survivorship.orders[attribute]) %}
        {{ history_known_value(attribute, 'op_of_system', is_of_system) }}{{ ',' if not loop.last }}
{%- endfor %}
      ) as {{ attribute }}{{ ',' if not loop.last }}
{%- else %}
      {{ history_known_value(attribute, 'op') }} as {{ attribute }}{{ ',' if not loop.last }}
{%- endif %}
{%- endfor %}
    )
{%- endmacro %}


{#- SQL: the last value of an attribute that an image carried, null after a delete; `is_of_system` is a condition on the events that count. -#}
{% macro history_known_value(attribute, op, is_of_system=none) -%}
{%- set of_system = is_of_system ~ ' and ' if is_of_system else '' -%}
(last_value(case
        when {{ of_system }}{{ op }} = 'd' then struct(null as value)
        when {{ of_system }}array_contains(present, '{{ attribute }}') then struct(after.{{ attribute }} as value)
      end, true) over life).value
{%- endmacro %}


{#- SQL conditions on an event, one for each system in an order, and one for all others. -#}
{% macro history_systems(systems) %}
  {%- set conditions = [] -%}
  {%- for system in systems -%}
    {%- do conditions.append('source_system = ' ~ adapter.sql_literal(system)) -%}
  {%- endfor -%}
  {{ return(conditions + ['coalesce(source_system not in (' ~ adapter.sql_literals(systems | sort) ~ '), true)']) }}
{% endmacro %}


{#- SQL: whether any system has a key after an event. -#}
{% macro history_any_has_it(systems) -%}
{%- for is_of_system in history_systems(systems) -%}
{{ ' or ' if not loop.first }}coalesce(last_value(if({{ is_of_system }}, op != 'd', null), true) over life, false)
{%- endfor -%}
{%- endmacro %}


{#- SQL: whether a commit position says where it stands; an event without a place in the log has no place in a history. -#}
{% macro history_has_place(position) -%}
{%- for part in history_moment_parts() -%}
{{ ' and ' if not loop.first }}{{ position }}.{{ part }} is not null
{%- endfor -%}
{%- endmacro %}
