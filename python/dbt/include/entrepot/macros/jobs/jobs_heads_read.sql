{#- The newest version of every Delta table that dbt knows, sources included, and when it was committed: one listing of each table's log. -#}
{% macro jobs_heads_read() %}
  {%- set locations = {} -%}
  {%- for relation in jobs_project_relations() if jobs_location(relation) -%}
    {%- do locations.update({relation | string: jobs_location(relation)}) -%}
  {%- endfor -%}
  {%- for relation, head in adapter.facts_heads(locations).items() -%}
    {%- do jobs_state()['heads'].update({relation: head.version}) -%}
    {%- do jobs_state()['head_times'].update({relation: head.committed_at}) -%}
  {%- endfor -%}
{% endmacro %}


{#- The relations of all models, seeds and snapshots that are stored (not ephemeral), and of the sources that they read. Notes which
    of them are sources that no node of this project writes. -#}
{% macro jobs_project_relations() %}
  {%- set relations = {} -%}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'seed', 'snapshot'] and node.config.enabled -%}
    {%- if node.config.materialized != 'ephemeral' -%}
      {%- do relations.update({node.unique_id: jobs_node_relation(node)}) -%}
    {%- endif -%}
    {%- for unique_id in node.depends_on.nodes if unique_id in graph.sources -%}
      {%- do relations.update({unique_id: jobs_node_relation(graph.sources[unique_id])}) -%}
      {%- do jobs_state()['sources'].update({relations[unique_id] | string: true}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- for node in graph.nodes.values() -%}
    {%- do jobs_state()['sources'].pop(jobs_node_relation(node) | string, none) if node.resource_type in ['model', 'seed', 'snapshot'] -%}
  {%- endfor -%}
  {{ return(relations.values() | list) }}
{% endmacro %}


{#- The relation of a node or source of dbt's graph. -#}
{% macro jobs_node_relation(node) %}
  {{ return(api.Relation.create(schema=node.schema, identifier=node.alias or node.identifier or node.name)) }}
{% endmacro %}


{#- Where a Delta table lies, as Spark's catalog told dbt at the start; none for anything else. -#}
{% macro jobs_location(relation) %}
  {%- set cached = load_cached_relation(relation) -%}
  {%- if cached and cached.is_delta -%}
    {{ return(adapter.facts_location_told(cached.information)) }}
  {%- endif -%}
  {{ return(none) }}
{% endmacro %}
