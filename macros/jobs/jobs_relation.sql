{#- The relation of one of the bookkeeping tables (`job_event`, `model_run`, `model_verdict`, `published_snapshot`). -#}
{% macro jobs_relation(name) %}
  {{ return(api.Relation.create(schema=entrepot.generate_schema_name('ops', none) | trim, identifier=name, type='table')) }}
{% endmacro %}
