{#- dbt's `snapshot` for Spark with one more strategy, `commit_order`; every other one is dbt-spark's own. -#}
{% materialization snapshot, adapter='spark' %}
  {%- if config.get('strategy') == 'commit_order' -%}
    {{ return(entrepot.history_snapshot()) }}
  {%- endif -%}
  {{ return(dbt.materialization_snapshot_spark()) }}
{% endmaterialization %}
