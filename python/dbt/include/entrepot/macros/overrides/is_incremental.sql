{#- dbt's `is_incremental`, but that the SELECT of a model with the strategy `delta` may not ask it: the stored rows are brought to what the SELECT
    gives, so that those that its condition leaves out would go. Hooks, which dbt renders once the SELECT is compiled, may ask; dbt itself does
    for models in Python. -#}
{% macro is_incremental() %}
  {%- if not execute -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set is_delta = model.config.materialized == 'incremental' and model.config.incremental_strategy == 'delta' and model.language == 'sql' -%}
  {%- if is_delta and not model.get('compiled') -%}
    {%- do exceptions.raise_compiler_error(
      'Model ' ~ model.name ~ ' uses is_incremental(): its table is kept at what its SELECT gives, and would lose the rows that the condition leaves out. '
      ~ "For example: the SELECT of all rows, without the condition; or config(incremental_strategy='merge'). See docs/delta-rules.md."
    ) -%}
  {%- endif -%}
  {%- set stored = adapter.get_relation(this.database, this.schema, this.table) -%}
  {{ return(stored is not none and stored.type == 'table' and model.config.materialized == 'incremental' and not should_full_refresh()) }}
{% endmacro %}
