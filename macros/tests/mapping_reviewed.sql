{#- Blocks that shrank, or became null, by themselves and that nobody has stored yet (METL 5.4.4): a warning, no error. -#}
{% test mapping_reviewed(model) %}
{{ config(severity='warn') }}
select * from {{ model }}
{% endtest %}
