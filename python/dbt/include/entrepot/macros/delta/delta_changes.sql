{#- The net changes of a relation between two versions, read once per job into a cached temporary view that all
    readers share. Returns a dict
      view         its name: the relation's columns and `_delta`, +1 for an inserted row, -1 for a deleted one
      plus, minus  how many rows of each kind
    Rows are a multiset: the signs of equal rows are added up, so pairs that cancel vanish, whatever happened in
    between (OD-ETL 3.5.1: an update is a deletion followed by an insertion). -#}
{% macro delta_changes(upstream, from_version, to_version) %}
  {%- set state = jobs_state() -%}
  {%- set relation = upstream.relation -%}
  {%- set view = adapter.rules_temporary_name('delta', relation, [from_version, to_version]) -%}
  {%- if view not in state['changes'] -%}
    {%- set reader = delta_reader(upstream, from_version, to_version) -%}
    {%- set sql = adapter.changes_sql(relation | string, reader, from_version, to_version) -%}
    {%- if adapter.can_keep(reader.rows) and jobs_keep(view, sql) -%}
      {%- set counts = adapter.kept_signs(view) -%}
    {%- else -%}
      {%- do jobs_temporary(view, sql) -%}
      {%- set counts = jobs_query("select count_if(_delta > 0) as plus, count_if(_delta < 0) as minus from " ~ view) | first -%}
    {%- endif -%}
    {%- do state['changes'].update({view: {'view': view, 'plus': counts.plus | int, 'minus': counts.minus | int}}) -%}
  {%- endif -%}
  {{ return(state['changes'][view]) }}
{% endmacro %}
