{#- What config `on_schema_change` asks for: ignore, fail, append_new_columns or sync_all_columns. Raises for anything else. -#}
{% macro delta_on_schema_change() %}
  {%- set wanted = config.get('on_schema_change') or 'ignore' -%}
  {%- if wanted not in ['ignore', 'fail', 'append_new_columns', 'sync_all_columns'] -%}
    {%- do delta_error("has on_schema_change '" ~ wanted ~ "'",
      "ignore, fail, append_new_columns and sync_all_columns are accepted", "config(on_schema_change='sync_all_columns')") -%}
  {%- endif -%}
  {{ return(wanted) }}
{% endmacro %}


{#- The plan for a SELECT whose columns are not the stored ones. Columns that have only come are added in place where the
    configuration says so, and filled by comparing; the table keeps its history and its change feed. -#}
{% macro delta_rule_other_columns(settings, upstreams, body, reason, stored, wanted) %}
  {%- set policy = delta_on_schema_change() -%}
  {%- set reason = reason ~ ', and with it its columns' -%}
  {%- set new_columns = delta_new_columns(stored, wanted) -%}
  {%- if policy == 'fail' or (policy == 'append_new_columns' and new_columns is none) -%}
    {%- do delta_error(
      "has on_schema_change '" ~ policy ~ "', and " ~ reason ~ " (" ~ delta_column_differences(stored, wanted) ~ ")",
      "the table keeps its columns" if policy == 'fail' else "columns can be added, but none removed, moved or changed in type",
      "dbt build --select " ~ model.name ~ " --full-refresh, or config(on_schema_change='sync_all_columns')"
    ) -%}
  {%- elif policy != 'ignore' and new_columns -%}
    {{ return(dict(adapter.rules_full(delta_task(settings, upstreams, body), reason), new_columns=new_columns)) }}
  {%- endif -%}
  {{ return({'rule': 'create', 'reason': reason, 'rows_read': none}) }}
{% endmacro %}


{#- Clauses of `alter table … add columns` that turn the stored columns into the wanted ones, in their order; none where that
    takes more than new columns. Both are lists of [name, type]. -#}
{% macro delta_new_columns(stored, wanted) %}
  {%- set walk = namespace(position=0, place='first') -%}
  {%- set clauses = [] -%}
  {%- for name, type in wanted -%}
    {%- if walk.position < stored | length and stored[walk.position] == [name, type] -%}
      {%- set walk.position = walk.position + 1 -%}
    {%- else -%}
      {%- do clauses.append(adapter.quote(name) ~ ' ' ~ type ~ ' ' ~ walk.place) -%}
    {%- endif -%}
    {%- set walk.place = 'after ' ~ adapter.quote(name) -%}
  {%- endfor -%}
  {{ return(clauses if walk.position == stored | length else none) }}
{% endmacro %}


{#- `+ name type, - name type`: what the wanted columns have more and less than the stored ones. -#}
{% macro delta_column_differences(stored, wanted) %}
  {%- set differences = [] -%}
  {%- for column in wanted if column not in stored -%}
    {%- do differences.append('+ ' ~ column | join(' ')) -%}
  {%- endfor -%}
  {%- for column in stored if column not in wanted -%}
    {%- do differences.append('- ' ~ column | join(' ')) -%}
  {%- endfor -%}
  {{ return(differences | join(', ') or 'another order') }}
{% endmacro %}


{#- Adds columns to the stored table, in a commit that says nothing of its contents: after a killed job it is somebody else's,
    and the model is compared again. -#}
{% macro delta_add_columns(clauses) %}
  {%- do jobs_query('alter table ' ~ this ~ ' add columns (\n  ' ~ clauses | join(',\n  ') ~ '\n)') -%}
  {%- set version = adapter.facts_version(this | string) -%}
  {%- do jobs_contents(this).update({'version': version, 'data_version': version}) -%}
{% endmacro %}
