{#- dbt's `incremental` for Spark with one more strategy, `delta`; every other one is dbt-spark's own. -#}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- if config.get('incremental_strategy') == 'delta' -%}
    {{ return(delta_incremental()) }}
  {%- endif -%}
  {{ return(dbt.materialization_incremental_spark()) }}
{% endmaterialization %}
