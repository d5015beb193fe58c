{#- What a stored relation contains now: a dict with
      version       newest Delta version; none for a relation without versions (not Delta)
      data_version  newest version that changed rows (OPTIMIZE, VACUUM, ALTER do not)
      reads         {relation: version} consumed by these rows; none where nobody wrote it down
      sql_hash      checksum of the model's SQL that made them; none where unknown
      read_at       when these versions were committed, {relation: milliseconds}, as far as known
      committed_at  when the newest version was committed, in milliseconds, where that was looked up (see `jobs_committed_at`)
      row_count, bytes  how large the newest version is; none where unknown
    Looked up once per job and relation. A table left half-applied by a killed job is restored first; a command that does not hold the
    job's lock reads the version before. -#}
{% macro jobs_contents(relation) %}
  {%- set state = jobs_state() -%}
  {%- set key = relation | string -%}
  {%- if key not in state['relations'] -%}
    {%- if jobs_is_as_published(key) -%}
      {%- set known = state['ledger'][key] -%}
      {%- do state['relations'].update({key: {
        'version': known.version | int,
        'data_version': known.data_version | int,
        'reads': fromjson(known.reads) if known.reads else none,
        'sql_hash': known.sql_hash,
        'read_at': fromjson(known.read_at) if known.read_at else {},
        'row_count': known.row_count | int if known.row_count is not none else none,
        'bytes': known.bytes | int if known.bytes is not none else none,
      }}) -%}
    {%- elif jobs_has_no_versions(relation) -%}
      {%- do state['relations'].update({key: {'version': none, 'data_version': none, 'reads': none, 'sql_hash': none}}) -%}
    {%- else -%}
      {%- set contents = adapter.facts_contents(key, var('entrepot_history_depth', 50)) -%}
      {%- if contents.get('restore_to') is not none and not adapter.books_hold_lock() -%}
        {%- set contents = adapter.facts_contents(key, var('entrepot_history_depth', 50), contents.restore_to) -%}
      {%- elif contents.get('restore_to') is not none -%}
        {%- do log("Undoing the half-applied commit " ~ contents.version ~ " of " ~ relation ~ ".", info=True) -%}
        {%- do jobs_query("restore table " ~ relation ~ " to version as of " ~ contents.restore_to) -%}
        {%- set contents = adapter.facts_contents(key, var('entrepot_history_depth', 50)) -%}
      {%- endif -%}
      {%- do state['relations'].update({key: contents}) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(state['relations'][key]) }}
{% endmacro %}


{#- Whether a relation is a view, or a table in another format than Delta: as Spark's catalog told dbt at the start; of one
    that this job has made, as its config says. -#}
{% macro jobs_has_no_versions(relation) %}
  {%- set cached = load_cached_relation(relation) -%}
  {%- if cached is not none and cached.information -%}
    {{ return(not cached.is_delta) }}
  {%- endif -%}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'seed', 'snapshot'] -%}
    {%- if jobs_node_relation(node) | string == relation | string -%}
      {{ return(node.config.get('file_format') != 'delta') }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{% endmacro %}


{#- The version of a relation that everything in this job reads; none where it has no versions. As the job found it when
    it began, or wrote it since. -#}
{% macro jobs_pin(relation) %}
  {%- set state = jobs_state() -%}
  {%- set key = relation | string -%}
  {%- if key in state['heads'] and (key in state['sources'] or key not in state['relations'] and jobs_is_as_published(key)) -%}
    {{ return(state['heads'][key]) }}
  {%- endif -%}
  {{ return(jobs_contents(relation)['version']) }}
{% endmacro %}


{#- Whether a relation still is what the newest snapshot says of it: nobody has written it since, or made it again, and this job does not. -#}
{% macro jobs_is_as_published(key) %}
  {%- set state = jobs_state() -%}
  {%- set known = state['ledger'].get(key, {}) -%}
  {%- set version = known.get('version') -%}
  {%- if version is none or state['heads'].get(key) != version or key in jobs_rewritten() -%}
    {{ return(false) }}
  {%- endif -%}
  {{ return(not jobs_is_later(state['head_times'].get(key), jobs_millis(known.committed_at or known.published_at))) }}
{% endmacro %}


{#- The relations that dbt's own materializations write in this job: their versions are looked up afterwards. -#}
{% macro jobs_rewritten() %}
  {%- set state = jobs_state() -%}
  {%- if 'rewritten' not in state -%}
    {%- set relations = [] -%}
    {%- for unique_id in selected_resources if unique_id in graph.nodes -%}
      {%- set node = graph.nodes[unique_id] -%}
      {%- if node.resource_type in ['model', 'snapshot'] and not jobs_keeps_up(node) -%}
        {%- do relations.append(jobs_node_relation(node) | string) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- do state.update({'rewritten': relations}) -%}
  {%- endif -%}
  {{ return(state['rewritten']) }}
{% endmacro %}


{#- Whether one of our own strategies writes a node: its commits say what they contain. -#}
{% macro jobs_keeps_up(node) %}
  {{ return(
    node.resource_type == 'model' and node.config.materialized == 'incremental' and node.config.get('incremental_strategy') in ['delta', 'land']
    or node.resource_type == 'snapshot' and node.config.get('strategy') == 'commit_order'
  ) }}
{% endmacro %}
