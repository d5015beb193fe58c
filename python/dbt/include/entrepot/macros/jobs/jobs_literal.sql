{#- A Spark SQL literal of a Jinja value: text quoted and escaped, numbers as they are, none as `null`. -#}
{% macro jobs_literal(value) %}
  {%- if value is none -%}
    {{ return('null') }}
  {%- elif value is number -%}
    {{ return(value | string) }}
  {%- endif -%}
  {{ return("'" ~ (value | string).replace('\\', '\\\\').replace("'", "\\'") ~ "'") }}
{% endmacro %}


{#- Spark SQL literals of some values, with commas between them. -#}
{% macro jobs_literals(values) %}
  {%- set literals = [] -%}
  {%- for value in values -%}
    {%- do literals.append(jobs_literal(value)) -%}
  {%- endfor -%}
  {{ return(literals | join(', ')) }}
{% endmacro %}
