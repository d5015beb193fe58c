{#- Writes the descriptions of a relation and its columns into the catalog, where they differ: at most one statement
    (and Delta commit) for all columns and one for the relation, none where nothing differs. dbt-spark alters every
    column on every run, and never the comment of a table that stays. Returns whether anything was written. -#}
{% macro entrepot__persist_docs(relation, model, for_relation, for_columns) %}
  {%- set wants_relation = for_relation and config.persist_relation_docs() -%}
  {%- set wants_columns = for_columns and config.persist_column_docs() and model.columns -%}
  {%- if config.get('file_format') != 'delta' -%}
    {{ return(spark__persist_docs(relation, model, for_relation, for_columns)) }}
  {%- elif not wants_relation and not wants_columns -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set stored = overrides_comments_read(relation) -%}
  {%- set statements = [] -%}
  {%- if wants_relation and (model.description or '') != stored.relation -%}
    {%- do statements.append("comment on table " ~ relation ~ " is " ~ adapter.sql_literal(model.description or none)) -%}
  {%- endif -%}
  {%- if wants_columns -%}
    {%- set described = validate_doc_columns(relation, model.columns, stored.columns.keys() | list) -%}
    {%- do statements.append(overrides_alter_comments_sql(relation, described, stored.columns)) -%}
  {%- endif -%}
  {%- for sql in statements if sql -%}
    {%- do jobs_query(sql) -%}
  {%- endfor -%}
  {{ return(statements | select | list | length > 0) }}
{% endmacro %}


{#- The comments that a Delta table has: a dict `relation` (text) and `columns` {name: text}; empty text for none.
    Its log says them; where that does not lie here, Spark is asked. -#}
{% macro overrides_comments_read(relation) %}
  {%- set told = adapter.comments_of_log(relation) -%}
  {%- if told is not none -%}
    {{ return(told) }}
  {%- endif -%}
  {%- set found = namespace(part='columns', relation='') -%}
  {%- set columns = {} -%}
  {%- for row in jobs_query("describe extended " ~ relation) -%}
    {%- if not row.col_name or row.col_name.startswith('#') -%}
      {%- set found.part = row.col_name or 'none' -%}
    {%- elif found.part == 'columns' -%}
      {%- do columns.update({row.col_name: row.comment or ''}) -%}
    {%- elif found.part == '# Detailed Table Information' and row.col_name == 'Comment' -%}
      {%- set found.relation = row.data_type or '' -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'relation': found.relation, 'columns': columns}) }}
{% endmacro %}


{#- One statement that sets the comment of every column whose description is not the stored one; none without any. -#}
{% macro overrides_alter_comments_sql(relation, column_dict, stored) %}
  {%- set lower = {} -%}
  {%- for name, comment in stored.items() -%}
    {%- do lower.update({name | lower: comment}) -%}
  {%- endfor -%}
  {%- set changes = [] -%}
  {%- for name, column in column_dict.items() if (column.description or '') != stored.get(name, lower.get(name | lower)) -%}
    {%- do changes.append(adapter.quote(name) ~ ' comment ' ~ adapter.sql_literal(column.description or '')) -%}
  {%- endfor -%}
  {{ return('alter table ' ~ relation ~ ' alter column\n  ' ~ changes | join(',\n  ') if changes else none) }}
{% endmacro %}


{#- The `comment` clause of a new relation, with quotes and backslashes escaped. -#}
{% macro entrepot__comment_clause() %}
  {%- if config.persist_relation_docs() and model.description %}
    comment {{ adapter.sql_literal(model.description) }}
  {%- endif -%}
{% endmacro %}


{#- A column of a view with its comment, quotes and backslashes escaped (dbt-spark's macro of this name does not dispatch). -#}
{% macro get_column_comment_sql(column_name, column_dict) -%}
  {{ adapter.quote(column_name) }}
  {%- set description = column_dict.get(column_name, {}).get('description') -%}
  {%- if description %} comment {{ adapter.sql_literal(description) }}
  {%- endif -%}
{%- endmacro %}
