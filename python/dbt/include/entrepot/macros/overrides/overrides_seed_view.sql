{#- Makes a temporary view of the seed's texts, columns `_0`, `_1`, …, and returns its name. Spark reads the file itself
    where it can see it; otherwise (a server elsewhere, a file name that Spark takes for hidden) dbt reads it, and the
    rows travel inside the statement as one JSON text: exact for every text, unlike the bindings of dbt-spark. -#}
{% macro overrides_seed_view(agate_table) %}
  {%- set view = this.identifier ~ '__seed_file' -%}
  {%- set texts = [] -%}
  {%- for name in agate_table.column_names -%}
    {%- do texts.append('_' ~ loop.index0) -%}
  {%- endfor -%}
  {%- if overrides_seed_in_sight(model.original_file_path) -%}
    {%- do jobs_query(
      "create or replace temporary view " ~ view ~ " (" ~ texts | join(' string, ') ~ " string) using csv options (path "
      ~ adapter.sql_literal(overrides_seed_uri(agate_table.original_abspath)) ~ ", encoding 'UTF-8', header 'true', sep "
      ~ adapter.sql_literal(config.get('delimiter', ',')) ~ ", quote '\"', escape '\"', multiLine 'true')"
    ) -%}
  {%- else -%}
    {%- set items = [] -%}
    {%- for text in texts -%}
      {%- do items.append('_row[' ~ loop.index0 ~ '] as ' ~ text) -%}
    {%- endfor -%}
    {%- do jobs_query(
      "create or replace temporary view " ~ view ~ " as select " ~ items | join(', ') ~ " from (select explode(from_json("
      ~ adapter.sql_literal(overrides_seed_json(agate_table)) ~ ", 'array<array<string>>')) as _row)"
    ) -%}
  {%- endif -%}
  {{ return(view) }}
{% endmacro %}


{#- Whether Spark can read a file of this project itself: with method `session` it runs on the same machine. Var
    `entrepot_seed_reader` decides otherwise: `file` or `inline`. Spark ignores files named _x or .x. -#}
{% macro overrides_seed_in_sight(path) %}
  {%- set reader = var('entrepot_seed_reader', 'file' if adapter.config.credentials.method == 'session' else 'inline') -%}
  {{ return(reader == 'file' and path.split('/')[-1][0] not in ['_', '.']) }}
{% endmacro %}


{#- The URI of a local file for Spark, which takes some characters of a path for wildcards. -#}
{% macro overrides_seed_uri(path) %}
  {{ return('file:' ~ modules.re.sub('([\\[\\]{}*?\\\\])', '\\\\\\1', path)) }}
{% endmacro %}


{#- The rows that dbt has read, as JSON: an array of arrays of texts. -#}
{% macro overrides_seed_json(agate_table) %}
  {%- set rows = [] -%}
  {%- for row in agate_table.rows -%}
    {%- set texts = [] -%}
    {%- for value in row -%}
      {%- do texts.append(none if value is none else value | string) -%}
    {%- endfor -%}
    {%- do rows.append(texts) -%}
  {%- endfor -%}
  {{ return(tojson(rows)) }}
{% endmacro %}


{#- The texts as dbt sees them: blank or `null` is null, a line end inside of a text is \n. A row without any text is a
    blank line. -#}
{% macro overrides_seed_texts_sql(columns, view) %}
  select *
  from (
    select
      {%- for column in columns %}
      if({{ column.text }} rlike r'(?iU)\A\s*(null)?\s*\z', null, regexp_replace({{ column.text }}, r'\r\n?', '\n')) as {{ column.text }}
      {{- ',' if not loop.last }}
      {%- endfor %}
    from {{ view }}
  )
  where coalesce({{ columns | map(attribute='text') | join(', ') }}) is not null
{%- endmacro %}


{#- The seed's rows with their types. -#}
{% macro overrides_seed_typed_sql(columns, view) %}
select
  {%- for column in columns %}
  {{ column.value }} as {{ column.name }}{{ ',' if not loop.last }}
  {%- endfor %}
from (
{{ overrides_seed_texts_sql(columns, view) }}
)
{% endmacro %}
