{#- dbt's `snapshot` with one more strategy, `commit_order`; every other one is dbt-spark's own. -#}
{% materialization snapshot, adapter='entrepot' %}
  {%- if config.get('strategy') == 'commit_order' -%}
    {{ return(history_snapshot()) }}
  {%- endif -%}
  {{ return(materialization_snapshot_spark()) }}
{% endmaterialization %}
