{#- Layers are schemas of their own: `landing`, `mapped`, `marts`. A profile whose schema is not `default`
    gets its own copies, `<schema>_landing` and so on, so that several developers can share one metastore. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
  {%- if custom_schema_name is none -%}
    {{ target.schema }}
  {%- elif target.schema == 'default' -%}
    {{ custom_schema_name | trim }}
  {%- else -%}
    {{ target.schema }}_{{ custom_schema_name | trim }}
  {%- endif -%}
{%- endmacro %}
