{#- Raises where a value of the file does not fit its column's type, and where Spark finds other rows in the file than
    dbt: one statement for all columns. Returns the number of rows. -#}
{% macro overrides_seed_check(agate_table, columns, view) %}
  {%- set found = jobs_query(overrides_seed_check_sql(columns, view)) | first -%}
  {%- set problems = [] -%}
  {%- for column in columns if column.misfit and found[column.text] is not none -%}
    {%- set line = overrides_seed_line(agate_table, column.number, found[column.text]) -%}
    {%- do problems.append(
      ("line " ~ line ~ ", " if line else "") ~ "column " ~ column.name ~ ": '" ~ found[column.text] ~ "' does not fit " ~ column.type
    ) -%}
  {%- endfor -%}
  {%- if problems -%}
    {%- do exceptions.raise_compiler_error(
      "Seed " ~ model.name ~ " (" ~ model.original_file_path ~ "), " ~ problems | join('; ')
      ~ ". Correct the file, or give the column another type: config(column_types={…})."
    ) -%}
  {%- endif -%}
  {%- set expected = namespace(rows=0) -%}
  {%- for row in agate_table.rows if row | reject('none') | list -%}
    {%- set expected.rows = expected.rows + 1 -%}
  {%- endfor -%}
  {%- if found.rows_found | int != expected.rows -%}
    {%- do exceptions.raise_compiler_error(
      "Seed " ~ model.name ~ " (" ~ model.original_file_path ~ "): dbt finds " ~ expected.rows ~ " rows in the file and Spark "
      ~ found.rows_found ~ ". Quotes must be closed and doubled inside of a quoted value, and line ends must be all of one kind (RFC 4180)."
    ) -%}
  {%- endif -%}
  {{ return(expected.rows) }}
{% endmacro %}


{#- One row: `rows_found`, and for every column that can fail a text that does not fit. -#}
{% macro overrides_seed_check_sql(columns, view) %}
select
  count(*) as rows_found
  {%- for column in columns if column.misfit %},
  first({{ column.text }}, true) filter (where {{ column.misfit }}) as {{ column.text }}
  {%- endfor %}
from (
{{ overrides_seed_texts_sql(columns, view) }}
)
{% endmacro %}


{#- The line of the file on which the first row with this text in a column begins; none where it is not found. -#}
{% macro overrides_seed_line(agate_table, column_number, text) %}
  {%- set at = namespace(line=2 + (agate_table.column_names | join).count('\n')) -%}
  {%- for row in agate_table.rows -%}
    {%- if row[column_number] | string | trim == text | trim -%}
      {{ return(at.line) }}
    {%- endif -%}
    {%- set at.line = at.line + 1 + (row | select('string') | join).count('\n') -%}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}
