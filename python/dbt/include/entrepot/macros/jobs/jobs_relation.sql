{#- The relation of one of the bookkeeping tables (`job_event`, `model_run`, `model_verdict`, `node_state`, `published_snapshot`, `source_cut`, `table_health`): in schema `ops`, or
    `<schema>_ops` where the profile's schema is not `default`. -#}
{% macro jobs_relation(name) %}
  {%- set schema = 'ops' if target.schema == 'default' else target.schema ~ '_ops' -%}
  {{ return(api.Relation.create(schema=schema, identifier=name, type='table')) }}
{% endmacro %}
