{#- SQL: the versions (SCD type 2) of every key in a log of changes, by commit position (OD-ETL 3.5.2).
    `log` is a select with op, commit_position, schema_name, after, present, mapping_error and the `keys`; `attributes`
    are fields of `after`, and so are the `untracked` ones, which have the value of the moment in which a version begins.
    An attribute that an image does not carry keeps its value (absent is not null); a delete ends a version and forgets
    its values; a truncate deletes every key that its schema has fed; an event that changes no attribute makes no
    version, and so does one that is there twice.
    Columns: keys, attributes, untracked, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to (commit times), the positions
    valid_from_position and valid_to_position, and is_first_version. -#}
{% macro history_versions(log, keys, attributes, untracked=[]) %}
  {%- set key_list = keys | join(', ') -%}
  {%- set by_key = 'partition by ' ~ key_list ~ ' order by commit_position' -%}
-- entrepot: versions of {{ key_list }} by commit position
with log as (
{{ log }}
),
event as (
  select
    {{ key_list }}, schema_name, op, commit_position, after, present,
    row_number() over (partition by {{ key_list }}, schema_name order by commit_position) = 1 as is_first_of_schema
  from log
  where mapping_error is null and op in ('c', 'r', 'u', 'd') and {{ history_has_place('commit_position') }}{% for key in keys %} and {{ key }} is not null{% endfor %}
),
truncate as (
  select schema_name, collect_list(commit_position) as positions from log where op = 't' and {{ history_has_place('commit_position') }} group by schema_name
),
change as (
  select {{ key_list }}, change.*
  from (
    select {{ adapter.sql_qualified('event', keys) }}, explode(concat(
      array(struct(event.op as op, event.commit_position as commit_position, event.after as after, event.present as present)),
      coalesce(transform(
        if(event.is_first_of_schema, truncate.positions, null),
        position -> struct('d' as op, position as commit_position, null as after, array() as present)
      ), array())
    )) as change
    from event
    left join truncate on event.schema_name = truncate.schema_name
  )
),
known as (
  select
    {{ key_list }}, op, commit_position,
    {{ history_known_values(attributes) }} as image,
{%- if untracked %}
    {{ history_known_values(untracked) }} as beside,
{%- endif %}
    lag(op, 1, 'd') over ({{ by_key }}) as op_before,
    count_if(op != 'd') over life as changes
  from change
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


{#- SQL: what is known of some attributes after an event, as a struct: the last value that an image carried, null after a delete. -#}
{% macro history_known_values(attributes) -%}
struct(
{%- for attribute in attributes %}
      (last_value(case
        when op = 'd' then struct(null as value)
        when array_contains(present, '{{ attribute }}') then struct(after.{{ attribute }} as value)
      end, true) over life).value as {{ attribute }}{{ ',' if not loop.last }}
{%- endfor %}
    )
{%- endmacro %}


{#- SQL: whether a commit position says where it stands; an event without a place in the log has no place in a history. -#}
{% macro history_has_place(position) -%}
{%- for part in history_moment_parts() -%}
{{ ' and ' if not loop.first }}{{ position }}.{{ part }} is not null
{%- endfor -%}
{%- endmacro %}
