{#- SQL without the blanks that its lines begin with: the text of `landing_record` is long, and the embedded metastore (Derby) keeps no more than 32,700
    characters of a view. -#}
{% macro landing_dense(sql) -%}
{{ sql.split('\n') | map('trim') | join('\n') }}
{%- endmacro %}
