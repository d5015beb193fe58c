{#- Whether all rows of a node may be written anew instead of about `rows` that have changed, because nobody has to be told which: nothing is
    built on it, or only what would be computed in full with as many changed rows. That are models with `delta_rule='full'`, dbt's own
    tables, and models of which recorded costs say so, with what is built on them. Snapshots, and models with strategies of other
    packages, read changes. -#}
{% macro delta_may_overwrite(node, rows) %}
  {%- for other in delta_built_on(node) if other.config.materialized != 'table' -%}
    {%- set rule = other.config.get('delta_rule') -%}
    {%- if other.config.materialized != 'incremental' or other.config.get('incremental_strategy') != 'delta' or rule not in [none, 'full'] -%}
      {{ return(false) }}
    {%- elif not rule -%}
      {%- set runs = delta_cost_runs(jobs_node_relation(other), true) -%}
      {%- if not adapter.rules_cost_choice(rows, none, runs) or not delta_may_overwrite(other, rows) -%}
        {{ return(false) }}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true) }}
{% endmacro %}


{#- The models and snapshots that are built on a node, directly or over views. -#}
{% macro delta_built_on(node) %}
  {%- set found = [] -%}
  {%- for other in graph.nodes.values() if other.resource_type in ['model', 'snapshot'] and node.unique_id in other.depends_on.nodes -%}
    {%- if other.config.materialized in ['view', 'ephemeral'] -%}
      {%- do found.extend(delta_built_on(other)) -%}
    {%- else -%}
      {%- do found.append(other) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found) }}
{% endmacro %}
