{#- Whether a node's rows are what this job's versions of its upstreams give: all upstreams are current, and what the
    node has consumed is their newest data. `built` are the unique ids built in this job, `current` memoises. -#}
{% macro jobs_is_current(node, current, built) %}
  {%- if node.unique_id not in current -%}
    {%- set verdict = namespace(value=true) -%}
    {%- for unique_id in node.depends_on.nodes if unique_id in graph.nodes and verdict.value -%}
      {%- set verdict.value = entrepot.jobs_is_current(graph.nodes[unique_id], current, built) -%}
    {%- endfor -%}
    {%- if verdict.value and node.config.materialized != 'ephemeral' -%}
      {%- set relation = entrepot.jobs_node_relation(node) -%}
      {%- if not load_cached_relation(relation) -%}
        {%- set verdict.value = false -%}
      {%- elif node.config.materialized != 'view' -%}
        {%- set verdict.value = entrepot.jobs_has_consumed(node, relation, built) -%}
      {%- endif -%}
    {%- endif -%}
    {%- do current.update({node.unique_id: verdict.value}) -%}
  {%- endif -%}
  {{ return(current[node.unique_id]) }}
{% endmacro %}


{#- Whether a stored relation has consumed the newest data of its upstreams. One that keeps no record of what it has
    consumed (dbt's own materializations) has when it was built in this job, or has no upstream. A consumed version above the
    newest one is that of a table that is no more. -#}
{% macro jobs_has_consumed(node, relation, built) %}
  {%- set reads = entrepot.jobs_contents(relation)['reads'] -%}
  {%- if node.config.get('incremental_strategy') == 'land' -%}
    {{ return(true) }}
  {%- elif reads is none -%}
    {{ return(node.unique_id in built or not node.depends_on.nodes) }}
  {%- endif -%}
  {%- for upstream in entrepot.delta_upstreams(node) -%}
    {%- set version = entrepot.jobs_pin(upstream.relation) -%}
    {%- set consumed = reads.get(upstream.relation | string, -1) -%}
    {%- set behind = version is not none and version > consumed and entrepot.jobs_contents(upstream.relation).data_version > consumed -%}
    {%- if behind or (version is not none and consumed > version) -%}
      {{ return(false) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true) }}
{% endmacro %}
