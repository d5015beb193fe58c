{#- Deletes the `rows` stored rows that go or are replaced: by a `delete` that lists their keys where that is quicker, which reads the stored rows
    once; else by a merge, which reads them twice. -#}
{% macro delta_delete_sql(plan, settings, view, rows) %}
  {%- set keys = settings.unique_key -%}
  {%- set listed = delta_keys_listed(view, keys) if rows <= delta_keys_to_list(jobs_size(this).get('row_count')) else none -%}
-- {{ delta_headline(plan) }}
{% if listed -%}
delete from {{ this }} where {{ listed }}
{%- else -%}
merge into {{ this }} as _stored
using (select {{ keys | join(', ') }} from {{ view }} where _is_stored) as _old
on {{ ([adapter.sql_keys_equal('_stored', keys, '_old', keys)] + delta_stored_bounds(view, keys)) | join(' and ') }}
when matched then delete
{%- endif %}
{% endmacro %}


{#- Up to how many keys a delete from a table of `row_count` rows lists. A key costs Spark about 60 µs to read and plan, a stored row 0.2 µs more
    in a merge (docs/benchmarks.md). Delta writes the list into its commit, ten bytes a key, so there is a most: var `entrepot_delete_keys`. -#}
{% macro delta_keys_to_list(row_count) %}
  {{ return([var('entrepot_delete_keys', 100000) | int, [10000, (row_count or 0) // 200] | max] | min) }}
{% endmacro %}


{#- SQL condition that a row has one of the stored keys of a view in memory, as literals: the column with most values is listed, once for
    each combination of the others. None where these are more than twenty, where a key is null, and for types whose text is not exact. -#}
{% macro delta_keys_listed(view, keys) %}
  {%- set types = [] -%}
  {%- set texts = [] -%}
  {%- for key in keys -%}
    {%- do types.append('max(typeof(' ~ key ~ ')) as type_' ~ loop.index) -%}
    {%- do texts.append('cast(' ~ key ~ ' as string)') -%}
  {%- endfor -%}
  {%- set found = jobs_query(
    'select ' ~ types | join(', ') ~ ', to_json(collect_list(array(' ~ texts | join(', ') ~ '))) as keys from ' ~ view ~ ' where _is_stored'
  ) | first -%}
  {%- set rows = fromjson(found['keys']) -%}
  {%- set columns = [] -%}
  {%- for key in keys -%}
    {%- set quote = delta_quote(found['type_' ~ loop.index]) -%}
    {%- set position = loop.index0 -%}
    {%- set literals = [] -%}
    {%- for row in rows if quote and row[position] is not none -%}
      {%- do literals.append(quote[0] ~ row[position].replace('\\', '\\\\').replace("'", "\\'") ~ quote[1]) -%}
    {%- endfor -%}
    {%- if literals | length < rows | length -%}
      {{ return(none) }}
    {%- endif -%}
    {%- do columns.append({'key': key, 'literals': literals, 'values': literals | unique | list | length}) -%}
  {%- endfor -%}
  {%- set longest = columns | sort(attribute='values') | last -%}
  {%- set lists = {} -%}
  {%- for literal in longest.literals -%}
    {%- set number = loop.index0 -%}
    {%- set same = [] -%}
    {%- for column in columns if column.key != longest.key -%}
      {%- do same.append(column.key ~ ' = ' ~ column.literals[number]) -%}
    {%- endfor -%}
    {%- do lists.setdefault(same | join(' and '), []).append(literal) -%}
  {%- endfor -%}
  {%- set conditions = [] -%}
  {%- for same, literals in lists.items() if lists | length <= 20 -%}
    {%- do conditions.append((same ~ ' and ' if same else '') ~ longest.key ~ ' in (' ~ literals | join(', ') ~ ')') -%}
  {%- endfor -%}
  {{ return(conditions | join('\n  or ') or none) }}
{% endmacro %}
