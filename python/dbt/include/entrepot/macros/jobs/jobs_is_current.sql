{#- Whether a node's rows are what this job's versions of its upstreams give, and have passed an audit: all upstreams are current, what the
    node has consumed is their newest data, and it was built in this job or is as it was published. `built` are the unique ids built in
    this job, `current` memoises. -#}
{% macro jobs_is_current(node, current, built) %}
  {%- if node.unique_id not in current -%}
    {%- set verdict = namespace(value=true) -%}
    {%- for unique_id in node.depends_on.nodes if unique_id in graph.nodes and verdict.value -%}
      {%- set verdict.value = jobs_is_current(graph.nodes[unique_id], current, built) -%}
    {%- endfor -%}
    {%- if verdict.value and node.config.materialized != 'ephemeral' -%}
      {%- set relation = jobs_node_relation(node) -%}
      {%- if not load_cached_relation(relation) or not jobs_is_audited(node, relation, built) -%}
        {%- set verdict.value = false -%}
      {%- elif node.config.materialized != 'view' -%}
        {%- set verdict.value = jobs_has_consumed(node, relation, built) -%}
      {%- endif -%}
    {%- endif -%}
    {%- do current.update({node.unique_id: verdict.value}) -%}
  {%- endif -%}
  {{ return(current[node.unique_id]) }}
{% endmacro %}


{#- Whether tests have seen what a node has now: it was built in this job, in which nothing failed, or has what the newest snapshot publishes
    of it, and the views that it reads are those too. What failed in an earlier job, or was built by `dbt run`, is published when it is
    built again. A `dbt retry` that passes completes the job that it repeats; dbt tells one from a build on the
    command line only. -#}
{% macro jobs_is_audited(node, relation, built) %}
  {%- set known = jobs_state()['ledger'].get(relation | string, {}) -%}
  {%- if node.unique_id in built or modules.re.search('\\bretry\\b', flags.INVOCATION_COMMAND or '') -%}
    {{ return(true) }}
  {%- endif -%}
  {%- for view in delta_upstream_views(node) if not jobs_is_audited(view, jobs_node_relation(view), []) -%}
    {{ return(false) }}
  {%- endfor -%}
  {%- if node.config.materialized == 'view' -%}
    {{ return(known.get('definition') == delta_view_text(relation)) }}
  {%- elif known.get('version') is none or jobs_is_as_published(relation | string) -%}
    {{ return(known.get('version') is not none) }}
  {%- endif -%}
  {%- set contents = jobs_contents(relation) -%}
  {{ return(contents.version is not none and contents.version > known.version | int and contents.data_version == known.data_version | int) }}
{% endmacro %}


{#- Whether a stored relation has consumed the newest data of its upstreams. One that keeps no record of what it has
    consumed (dbt's own materializations) has when it was built in this job, or has no upstream. A consumed version above the
    newest one, or older than it, is that of a table that is no more. -#}
{% macro jobs_has_consumed(node, relation, built) %}
  {%- set contents = jobs_contents(relation) -%}
  {%- set reads = contents.reads -%}
  {%- if node.config.get('incremental_strategy') == 'land' -%}
    {{ return(true) }}
  {%- elif reads is none -%}
    {{ return(not jobs_keeps_up(node) and (node.unique_id in built or not node.depends_on.nodes)) }}
  {%- endif -%}
  {%- for upstream in delta_upstreams(node) -%}
    {%- set version = jobs_pin(upstream.relation) -%}
    {%- set consumed = reads.get(upstream.relation | string, -1) -%}
    {%- set behind = version is not none and version > consumed and jobs_contents(upstream.relation).data_version > consumed -%}
    {%- set noted = contents.get('read_at', {}).get(upstream.relation | string) -%}
    {%- set is_other = jobs_is_later(jobs_committed_at(upstream.relation, consumed), noted) -%}
    {%- if behind or is_other or (version is not none and consumed > version) -%}
      {{ return(false) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true) }}
{% endmacro %}
