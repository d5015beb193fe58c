{#- The stored relations that a node reads, through views and ephemeral models, as a list of dicts
      name      what the model calls it: `model`, or `source.table`
      relation  the relation
      feed      whether its config asks for a change feed; none for a source, which has to be asked
      unique_key  the columns that tell its rows apart (see `delta_upstream_key`) -#}
{% macro delta_upstreams(node) %}
  {%- set upstreams = {} -%}
  {%- for unique_id in node.depends_on.nodes -%}
    {%- set upstream = graph.nodes.get(unique_id) or graph.sources.get(unique_id) -%}
    {%- if upstream.resource_type != 'source' and upstream.config.materialized in ['view', 'ephemeral'] -%}
      {%- for inner in delta_upstreams(upstream) -%}
        {%- do upstreams.update({inner.relation | string: inner}) -%}
      {%- endfor -%}
    {%- else -%}
      {%- set relation = jobs_node_relation(upstream) -%}
      {%- do upstreams.update({relation | string: {
        'name': upstream.source_name ~ '.' ~ upstream.name if upstream.resource_type == 'source' else upstream.name,
        'relation': relation,
        'feed': none if upstream.resource_type == 'source' else overrides_table_properties(upstream.config).get('delta.enableChangeDataFeed') == 'true',
        'unique_key': delta_upstream_key(upstream),
      }}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(upstreams.values() | list) }}
{% endmacro %}


{#- The columns that tell a node's rows apart: the `unique_key` of what our own strategies keep up, a snapshot's version key, else what the
    author says by `meta: {unique_key: …}`, such as of a source; empty where nobody does. -#}
{% macro delta_upstream_key(node) %}
  {%- set stated = node.get('meta', {}).get('unique_key') or (node.config.get('meta') or {}).get('unique_key') -%}
  {%- set own = 'dbt_scd_id' if node.resource_type == 'snapshot' else node.config.get('unique_key') if jobs_keeps_up(node) else none -%}
  {%- set key = own or stated -%}
  {{ return([key] if key is string else (key or [])) }}
{% endmacro %}


{#- The views that a node reads directly or through ephemeral models. -#}
{% macro delta_upstream_views(node) %}
  {%- set views = [] -%}
  {%- for unique_id in node.depends_on.nodes -%}
    {%- set upstream = graph.nodes.get(unique_id) -%}
    {%- if upstream and upstream.config.materialized == 'view' -%}
      {%- do views.append(upstream) -%}
    {%- elif upstream and upstream.config.materialized == 'ephemeral' -%}
      {%- do views.extend(delta_upstream_views(upstream)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(views) }}
{% endmacro %}
