{#- The table properties that a node's table gets: the project's defaults (Delta tables only) under the node's own
    `tblproperties`. A property set to null is left out. -#}
{% macro overrides_table_properties(node_config) %}
  {{ return(adapter.table_properties(node_config, overrides_default_properties())) }}
{% endmacro %}


{#- The project's defaults: var `entrepot_table_properties`. -#}
{% macro overrides_default_properties() %}
  {{ return(var('entrepot_table_properties', {
    'delta.enableChangeDataFeed': 'true',
    'delta.deletedFileRetentionDuration': 'interval 30 days',
    'delta.logRetentionDuration': 'interval 30 days',
  })) }}
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
