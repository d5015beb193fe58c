{#- SQL without its comments and texts. -#}
{% macro delta_code(sql) %}
  {{ return(modules.re.sub('(?s)' ~ delta_not_code(), "''", sql)) }}
{% endmacro %}


{#- The regular expression of what is not code: comments and texts. -#}
{% macro delta_not_code() %}
  {{ return("--[^\n]*|/\\*.*?\\*/|'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"") }}
{% endmacro %}
