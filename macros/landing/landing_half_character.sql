{#- SQL: whether JSON holds one half of a character beyond the basic plane (a lone surrogate such as \ud83c), which is no text: Spark
    would read a question mark. -#}
{% macro landing_half_character(json) -%}
{%- set escape = '(?<![\\\\\\\\])(?:[\\\\\\\\]{2})*[\\\\\\\\]u[dD]' -%}
{%- set high = '[89abAB][0-9a-fA-F]{2}' -%}
(
    contains({{ json }}, '\\u') and (contains({{ json }}, '\\ud') or contains({{ json }}, '\\uD'))
    and {{ json }} rlike '{{ escape }}{{ high }}(?![\\\\]u[dD][c-fC-F][0-9a-fA-F]{2})|(?<![\\\\]u[dD]{{ high }}){{ escape }}[c-fC-F]'
)
{%- endmacro %}
