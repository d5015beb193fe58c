{#- Deletes the `rows` stored rows that go or are replaced: by a `delete` that lists their keys where that is quicker, which reads the stored rows
    once; else by a merge, which reads them twice. -#}
{% macro delta_delete_sql(plan, settings, view, rows) %}
  {%- set keys = settings.unique_key -%}
  {%- set most = adapter.write_keys_to_list(jobs_size(this).get('row_count'), var('entrepot_delete_keys', 100000)) -%}
  {%- set listed = delta_keys_listed(view, keys) if rows <= most else none -%}
{{ delta_headline(plan) }}
{%- if listed -%}
delete from {{ this }} where {{ listed }}
{%- else -%}
merge into {{ this }} as _stored
using (select {{ keys | join(', ') }} from {{ view }} where _is_stored) as _old
on {{ ([adapter.sql_keys_equal('_stored', keys, '_old', keys)] + delta_stored_bounds(view, keys)) | join(' and ') }}
when matched then delete
{%- endif %}
{% endmacro %}


{#- SQL condition that a row has one of the stored keys of a view in memory, as literals (`adapter.listed_keys`); none where it cannot be written. -#}
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
  {%- set found_types = [] -%}
  {%- for key in keys -%}
    {%- do found_types.append(found['type_' ~ loop.index]) -%}
  {%- endfor -%}
  {{ return(adapter.listed_keys(keys, found_types, fromjson(found['keys']))) }}
{% endmacro %}


{#- The bounds of the keys of a view in memory, as conditions on `_stored`: their literals let Delta skip files, which a join does not. -#}
{% macro delta_stored_bounds(view, keys) %}
  {%- set conditions = [] -%}
  {%- for key, condition in adapter.rules_bounds(view, keys).items() -%}
    {%- do conditions.append('_stored.' ~ key ~ ' ' ~ condition) -%}
  {%- endfor -%}
  {{ return(conditions) }}
{% endmacro %}
