{#- The net changes of a relation between two versions, read once per job into a cached temporary view that all
    readers share. Returns a dict
      view         its name: the relation's columns and `_delta`, +1 for an inserted row, -1 for a deleted one
      plus, minus  how many rows of each kind
    Rows are a multiset: the signs of equal rows are added up, so pairs that cancel vanish, whatever happened in
    between (OD-ETL 3.5.1: an update is a deletion followed by an insertion). -#}
{% macro delta_changes(upstream, from_version, to_version) %}
  {%- set state = jobs_state() -%}
  {%- set relation = upstream.relation -%}
  {%- set view = jobs_temporary_name('delta', relation, [from_version, to_version]) -%}
  {%- if view not in state['changes'] -%}
    {%- do jobs_temporary(view, delta_changes_sql(upstream, from_version, to_version)) -%}
    {%- set counts = jobs_query(
      "select count_if(_delta > 0) as plus, count_if(_delta < 0) as minus from " ~ view
    ) | first -%}
    {%- do state['changes'].update({view: {'view': view, 'plus': counts.plus | int, 'minus': counts.minus | int}}) -%}
  {%- endif -%}
  {{ return(state['changes'][view]) }}
{% endmacro %}


{#- The SQL of the cheapest right reader (`delta_reader`): rows with +1 or -1 from the change feed, or NEW and OLD whole. Appended rows
    cannot cancel. -#}
{% macro delta_changes_sql(upstream, from_version, to_version) %}
  {%- set relation = upstream.relation -%}
  {%- set reader = delta_reader(upstream, from_version, to_version) -%}
  {%- set feed = "\nfrom table_changes('" ~ relation ~ "', " ~ (from_version + 1) ~ ', ' ~ to_version ~ ')' -%}
  {%- set columns = 'select * except (_change_type, _commit_version, _commit_timestamp), ' -%}
  {%- if reader.reader == 'feed' and reader.appends -%}
    {{ return(columns ~ '1 as _delta' ~ feed) }}
  {%- elif reader.reader == 'feed' -%}
    {{ return(delta_net_rows(columns ~ "if(_change_type in ('insert', 'update_postimage'), 1, -1) as _sign" ~ feed)) }}
  {%- endif -%}
  {{ return(delta_net_rows(
    'select *, 1 as _sign from ' ~ relation ~ ' version as of ' ~ to_version ~ '\nunion all\nselect *, -1 as _sign from ' ~ relation ~ ' version as of ' ~ from_version
  )) }}
{% endmacro %}


{#- SQL of the rows of `signed` whose signs, `_sign` 1 or -1, do not cancel when those of equal rows are added up; `_delta` is the sign that
    is left, in as many rows as there are too many. -#}
{% macro delta_net_rows(signed) %}
select * except (_count, _copy), cast(sign(_count) as int) as _delta
from (
  select * except (_sign), sum(_sign) as _count
  from (
{{ signed }}
  )
  group by all
)
lateral view explode(sequence(1, abs(_count))) as _copy
where _count <> 0
{% endmacro %}


{#- A relation of the inserted (`sign` '+') or deleted ('-') rows, to stand in place of the relation's name. -#}
{% macro delta_rows(changes, sign) %}
  {{ return('(select * except (_delta) from ' ~ changes.view ~ ' where _delta ' ~ ('> 0' if sign == '+' else '< 0') ~ ')') }}
{% endmacro %}
