{#- SQL: a text with the letters A to Z in small. Spark's `lower` knows all letters, and takes 2 s for the first text of a process to learn them (decision 10). -#}
{% macro mapping_lower(text) -%}
translate({{ text }}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
{%- endmacro %}
