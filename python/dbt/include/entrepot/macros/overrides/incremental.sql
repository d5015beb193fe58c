{#- dbt's `incremental` with the strategy `delta`, and with strategies that a project brings along as a macro `<strategy>_incremental`; every
    other one is dbt-spark's. -#}
{% materialization incremental, adapter='entrepot', supported_languages=['sql', 'python'] %}
  {%- set strategy = config.get('incremental_strategy') -%}
  {%- set brought = jobs_project_macro(strategy ~ '_incremental') -%}
  {%- if strategy == 'delta' -%}
    {{ return(delta_incremental()) }}
  {%- elif brought -%}
    {{ return(brought()) }}
  {%- elif model['language'] == 'sql' -%}
    {{ return(materialization_incremental_spark()) }}
  {%- endif -%}
  {#- dbt takes a model in Python from a materialization only, not from one that this one calls: dbt-spark's own flow once more -#}
  {%- set strategy = dbt_spark_validate_get_incremental_strategy(strategy or 'append', config.get('file_format')) -%}
  {%- set existing = load_relation(this) -%}
  {%- if strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by') -%}
    {%- do jobs_query('set spark.sql.sources.partitionOverwriteMode = DYNAMIC') -%}
  {%- endif -%}
  {{ run_hooks(pre_hooks) }}
  {%- if existing is none or existing.is_view or should_full_refresh() -%}
    {%- do adapter.drop_relation(existing) if existing and not (existing.is_delta and config.get('file_format') == 'delta') -%}
    {%- call statement('main', language='python') -%}{{ create_table_as(False, this, compiled_code, 'python') }}{%- endcall -%}
    {%- do persist_constraints(this, model) -%}
  {%- else -%}
    {%- set rows = this.incorporate(path={'identifier': this.identifier ~ '__dbt_tmp'}) -%}
    {%- call statement('rows', language='python') -%}{{ create_table_as(True, rows, compiled_code, 'python') }}{%- endcall -%}
    {%- do process_schema_changes(incremental_validate_on_schema_change(config.get('on_schema_change'), 'ignore'), rows, existing) -%}
    {%- set predicates = config.get('predicates') or config.get('incremental_predicates') -%}
    {%- call statement('main') -%}
      {{ dbt_spark_get_incremental_sql(strategy, rows, this, existing, config.get('unique_key'), predicates) }}
    {%- endcall -%}
    {%- do jobs_query('drop table if exists ' ~ rows) -%}
  {%- endif -%}
  {%- do apply_grants(this, config.get('grants'), should_revoke=should_revoke(existing, full_refresh_mode=should_full_refresh())) -%}
  {%- do persist_docs(this, model) -%}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this]}) }}
{% endmaterialization %}
