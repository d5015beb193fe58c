{#- dbt's `snapshot` with one more strategy, `commit_order`; every other one is dbt-spark's own. -#}
{% materialization snapshot, adapter='entrepot' %}
  {%- if config.get('strategy') == 'commit_order' -%}
    {{ return(history_snapshot()) }}
  {%- endif -%}
  {%- if jobs_is_cut_down() and load_cached_relation(this) is not none -%}
    {%- do exceptions.raise_compiler_error(
      model.name ~ ' is built with --empty or --sample: its table exists, and rows that these leave out would be taken for deleted. '
      ~ 'Build into schemas of their own: dbt build --empty --target ci.'
    ) -%}
  {%- endif -%}
  {{ return(materialization_snapshot_spark()) }}
{% endmaterialization %}
