{#- SQL in which every view that the node reads stands as its text, recursively: a view cannot be read at a version. -#}
{% macro delta_inline_views(sql, node) %}
  {{ return(adapter.sql_inline_views(sql, delta_view_texts(sql, node))) }}
{% endmacro %}


{#- {view: its text} of the views that the node's SQL names, and of those that their texts name. -#}
{% macro delta_view_texts(sql, node) %}
  {%- set texts = {} -%}
  {%- for view in delta_upstream_views(node) -%}
    {%- set relation = jobs_node_relation(view) -%}
    {%- if adapter.sql_mention_count(sql, relation) -%}
      {%- do texts.update({relation: delta_view_text(relation)}) -%}
      {%- do texts.update(delta_view_texts(texts[relation], view)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(texts) }}
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
