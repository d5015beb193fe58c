{#- SQL in which every view that the node reads stands as its text, recursively: a view cannot be read at a version. -#}
{% macro delta_inline_views(sql, node) %}
  {%- set text = namespace(sql=sql) -%}
  {%- for view in delta_upstream_views(node) -%}
    {%- set relation = jobs_node_relation(view) -%}
    {%- if delta_occurrences(text.sql, relation) | length > 1 -%}
      {%- set inner = delta_inline_views(delta_view_text(relation), view) -%}
      {%- set text.sql = delta_substitute(text.sql, relation, ['(\n' ~ inner ~ '\n)']) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(text.sql) }}
{% endmacro %}


{#- The text of a view: as built in this job, else as the catalog had it when the job began, else asked for. -#}
{% macro delta_view_text(relation) %}
  {%- set state = jobs_state() -%}
  {%- set key = relation | string -%}
  {%- if key not in state['views'] -%}
    {%- set cached = load_cached_relation(relation) -%}
    {%- set found = modules.re.search(
      '(?ms)^View Text: (.*?)\n(?:View Original Text|View Schema Mode|View Catalog and Namespace): ',
      (cached.information if cached else '') or ''
    ) -%}
    {%- if found -%}
      {%- do state['views'].update({key: found.group(1)}) -%}
    {%- else -%}
      {%- for row in jobs_query("describe extended " ~ relation) if row.col_name == 'View Text' -%}
        {%- do state['views'].update({key: row.data_type}) -%}
      {%- endfor -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(state['views'][key]) }}
{% endmacro %}


{#- The text of a view as Spark's catalog tells it: without comments and blanks in front and blanks behind. -#}
{% macro delta_view_told(sql) %}
  {{ return(modules.re.sub('(?s)^(?:\\s|--[^\n]*\n|/\\*.*?\\*/)+', '', sql) | trim) }}
{% endmacro %}
