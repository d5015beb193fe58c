{# dbt takes its built-in materializations from the project itself: these are entrepot's. #}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}{{ return(entrepot.materialization_incremental_spark()) }}{% endmaterialization %}
{% materialization snapshot, adapter='spark' %}{{ return(entrepot.materialization_snapshot_spark()) }}{% endmaterialization %}
{% materialization seed, adapter='spark' %}{{ return(entrepot.materialization_seed_spark()) }}{% endmaterialization %}
{% materialization view, adapter='spark' %}{{ return(entrepot.materialization_view_spark()) }}{% endmaterialization %}
