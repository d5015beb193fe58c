{#- The table properties that a node's table gets: the project's defaults (var `entrepot_table_properties`, Delta tables
    only) under the node's own `tblproperties`. A property set to null is left out. -#}
{% macro overrides_table_properties(node_config) %}
  {%- set defaults = {
    'delta.enableChangeDataFeed': 'true',
    'delta.deletedFileRetentionDuration': 'interval 30 days',
    'delta.logRetentionDuration': 'interval 30 days',
  } -%}
  {%- set properties = {} -%}
  {%- if node_config.get('file_format') == 'delta' -%}
    {%- do properties.update(var('entrepot_table_properties', defaults) or {}) -%}
  {%- endif -%}
  {%- do properties.update(node_config.get('tblproperties') or {}) -%}
  {%- set texts = {} -%}
  {%- for name, value in properties.items() if value is not none -%}
    {%- do texts.update({name: (value | string | lower) if value is boolean else (value | string)}) -%}
  {%- endfor -%}
  {{ return(texts) }}
{% endmacro %}


{#- The `tblproperties` clause of a new table: `overrides_table_properties`, and the contract's constraints, so that a
    table and its constraints are one commit. -#}
{% macro entrepot__tblproperties_clause() %}
  {%- set properties = overrides_table_properties(config) -%}
  {%- for name, expression in overrides_constraints(model).items() if config.get('file_format') == 'delta' -%}
    {%- do properties.update({'delta.constraints.' ~ name: expression}) -%}
  {%- endfor -%}
  {%- set list = [] -%}
  {%- for name, value in properties.items() -%}
    {%- do list.append(adapter.sql_literal(name) ~ ' = ' ~ adapter.sql_literal(value)) -%}
  {%- endfor -%}
  {%- if list %}
    tblproperties (
      {{ list | join(',\n      ') }}
    )
  {%- endif -%}
{% endmacro %}
