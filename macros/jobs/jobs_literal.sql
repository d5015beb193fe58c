{#- A Spark SQL literal of a Jinja value: text quoted and escaped, numbers as they are, none as `null`. -#}
{% macro jobs_literal(value) %}
  {%- if value is none -%}
    {{ return('null') }}
  {%- elif value is number -%}
    {{ return(value | string) }}
  {%- endif -%}
  {{ return("'" ~ (value | string).replace('\\', '\\\\').replace("'", "\\'") ~ "'") }}
{% endmacro %}
