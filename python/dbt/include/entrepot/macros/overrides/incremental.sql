{#- dbt's `incremental` with the strategy `delta`, and with strategies that a project brings along as a macro `<strategy>_incremental`; every
    other one is dbt-spark's. -#}
{% materialization incremental, adapter='entrepot', supported_languages=['sql', 'python'] %}
  {%- set strategy = config.get('incremental_strategy') -%}
  {%- set brought = jobs_project_macro(strategy ~ '_incremental') -%}
  {%- if strategy == 'delta' -%}
    {{ return(delta_incremental()) }}
  {%- elif brought -%}
    {{ return(brought()) }}
  {%- endif -%}
  {{ return(materialization_incremental_spark()) }}
{% endmaterialization %}
