{#- dbt's `incremental` for Spark with strategies of our own, `delta` and `land`; every other one is dbt-spark's. -#}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- if config.get('incremental_strategy') == 'delta' -%}
    {{ return(entrepot.delta_incremental()) }}
  {%- elif config.get('incremental_strategy') == 'land' -%}
    {{ return(entrepot.landing_incremental()) }}
  {%- endif -%}
  {{ return(dbt.materialization_incremental_spark()) }}
{% endmaterialization %}
