{#- Publishes one snapshot: the version of every relation that is current in this job, all rows in one commit. A
    relation that is not current gets no row, so a query on it is answered from the newest job in which it was. Neither does
    a table in another format than Delta: nobody could read it as it was. -#}
{% macro jobs_publish(results) %}
  {%- set state = jobs_state() -%}
  {%- set built = results | selectattr('status', 'equalto', 'success') | map(attribute='node.unique_id') | list -%}
  {%- set current = {} -%}
  {%- set nodes = [] -%}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'seed', 'snapshot'] and node.config.enabled -%}
    {%- set can_be_read = node.config.materialized == 'view' or node.config.get('file_format') == 'delta' -%}
    {%- if jobs_is_current(node, current, built) and node.config.materialized != 'ephemeral' and can_be_read -%}
      {%- do nodes.append(node) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set locations = jobs_locations(nodes) -%}
  {%- set rows = [] -%}
  {%- for node in nodes -%}
    {%- do rows.append(jobs_published_row(node, locations)) -%}
  {%- endfor -%}
  {%- do adapter.books_publish(rows) -%}
{% endmacro %}


{#- One row of `ops.published_snapshot`, as a dict. -#}
{% macro jobs_published_row(node, locations) %}
  {%- set state = jobs_state() -%}
  {%- set relation = jobs_node_relation(node) -%}
  {%- set is_view = node.config.materialized == 'view' -%}
  {%- set contents = {} if is_view else jobs_contents(relation) -%}
  {%- set detail = jobs_project_macro('mapping_published_detail') -%}
  {{ return({
    'job': state['job'], 'number': state['number'], 'relation': relation | string,
    'version': contents.get('version'), 'data_version': contents.get('data_version'),
    'committed_at': jobs_committed_at(relation, contents.get('version')),
    'definition': delta_view_text(relation) if is_view else none, 'location': locations.get(relation | string),
    'reads': tojson(contents.reads) if contents.get('reads') is not none else none,
    'read_at': tojson(contents.read_at) if contents.get('read_at') else none, 'sql_hash': contents.get('sql_hash'),
    'row_count': contents.get('row_count'), 'bytes': contents.get('bytes'),
    'detail': detail(relation) if detail else none, 'landed_through': jobs_landed_through(),
  }) }}
{% endmacro %}


{#- Up to which commit time changes have landed, as text in UTC; none where nothing lands. -#}
{% macro jobs_landed_through() %}
  {%- set state = jobs_state() -%}
  {%- set known = state['ledger'].values() | map(attribute='landed_through') | select | list -%}
  {{ return(state.get('landed_through') or (known | max if known else none)) }}
{% endmacro %}


{#- {relation: location} of the tables among `nodes`; those made in this job are asked for. -#}
{% macro jobs_locations(nodes) %}
  {%- set locations = {} -%}
  {%- for node in nodes if node.config.materialized != 'view' -%}
    {%- set relation = jobs_node_relation(node) -%}
    {%- do locations.update({relation | string: jobs_location(relation) or adapter.facts_location(relation | string)}) -%}
  {%- endfor -%}
  {{ return(locations) }}
{% endmacro %}
