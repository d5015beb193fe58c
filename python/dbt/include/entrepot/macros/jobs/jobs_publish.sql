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
  {%- if rows -%}
    {%- do jobs_query('insert into ' ~ jobs_relation('published_snapshot') ~ ' values\n' ~ rows | join(',\n')) -%}
  {%- endif -%}
{% endmacro %}


{#- One row of `ops.published_snapshot`, as SQL. -#}
{% macro jobs_published_row(node, locations) %}
  {%- set state = jobs_state() -%}
  {%- set relation = jobs_node_relation(node) -%}
  {%- set is_view = node.config.materialized == 'view' -%}
  {%- set contents = {} if is_view else jobs_contents(relation) -%}
  {%- set committed_at = jobs_committed_at(relation, contents.get('version')) -%}
  {%- set version = [state['job'], state['number'], relation | string, contents.get('version'), contents.get('data_version')] -%}
  {%- set detail = jobs_project_macro('mapping_published_detail') -%}
  {%- set values = [
    delta_view_text(relation) if is_view else none, locations.get(relation | string),
    tojson(contents.reads) if contents.get('reads') is not none else none,
    tojson(contents.read_at) if contents.get('read_at') else none, contents.get('sql_hash'),
    contents.get('row_count'), contents.get('bytes'),
    detail(relation) if detail else none,
  ] -%}
  {%- set landed_through = jobs_landed_through() -%}
  {{ return('(' ~ adapter.literals(version) ~ ', ' ~ ('timestamp_millis(' ~ committed_at ~ ')' if committed_at is not none else 'null')
    ~ ', ' ~ adapter.literals(values) ~ ', ' ~ ('timestamp ' ~ adapter.literal(landed_through) if landed_through else 'null') ~ ', current_timestamp())') }}
{% endmacro %}


{#- Up to which commit time changes have landed, as text in UTC; none where nothing lands. -#}
{% macro jobs_landed_through() %}
  {%- set state = jobs_state() -%}
  {%- set known = state['ledger'].values() | map(attribute='landed_through') | select | list -%}
  {{ return(state.get('landed_through') or (known | max if known else none)) }}
{% endmacro %}


{#- {relation: location} of the tables among `nodes`; those made in this job are asked for, one statement a schema. -#}
{% macro jobs_locations(nodes) %}
  {%- set locations = {} -%}
  {%- set schemas = [] -%}
  {%- for node in nodes if node.config.materialized != 'view' -%}
    {%- set relation = jobs_node_relation(node) -%}
    {%- set location = jobs_location(relation) -%}
    {%- if location -%}
      {%- do locations.update({relation | string: location}) -%}
    {%- elif relation.schema not in schemas -%}
      {%- do schemas.append(relation.schema) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for schema in schemas -%}
    {%- for row in jobs_query("show table extended in " ~ schema ~ " like '*'") -%}
      {%- set location = jobs_location_told(row.information) -%}
      {%- if location -%}
        {%- do locations.update({schema ~ '.' ~ row.tableName: location}) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(locations) }}
{% endmacro %}
