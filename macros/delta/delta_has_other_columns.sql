{#- Whether a relation's columns differ between two of its versions, so that their rows cannot be compared. Asked only
    where a commit in between may have changed them; one plain commit of this job did not. -#}
{% macro delta_has_other_columns(relation, from_version, to_version) %}
  {%- set contents = entrepot.jobs_contents(relation) -%}
  {%- if contents.get('before') is not none and from_version >= contents.before and not contents.is_new -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set may_change = ['CREATE', 'REPLACE', 'ADD COLUMNS', 'DROP COLUMNS', 'RENAME COLUMN', 'CHANGE COLUMN', 'REPLACE COLUMNS', 'RESTORE'] -%}
  {%- set suspects = [] -%}
  {%- for commit in entrepot.jobs_history(relation, [to_version - from_version + 5, 1000] | min) -%}
    {%- if from_version < commit.version | int <= to_version -%}
      {%- for operation in may_change if commit.operation.startswith(operation) or 'mergeSchema' in (commit.operationParameters | string) -%}
        {%- do suspects.append(commit.version) -%}
      {%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(suspects | length > 0 and entrepot.delta_columns_of('select * from ' ~ relation ~ ' version as of ' ~ from_version)
    != entrepot.delta_columns_of('select * from ' ~ relation ~ ' version as of ' ~ to_version)) }}
{% endmacro %}


{#- The columns of a query, a list of [name, type]. -#}
{% macro delta_columns_of(sql) %}
  {%- set columns = [] -%}
  {%- for column in entrepot.jobs_query('describe query\n' ~ sql) -%}
    {%- do columns.append([column.col_name, column.data_type]) -%}
  {%- endfor -%}
  {{ return(columns) }}
{% endmacro %}
