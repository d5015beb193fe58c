{#- Whether a relation is as fresh as it promises by `meta: {entrepot: {max_age: …}}`, itself and each exposure that reads it: of what is
    published. Only `dbt test` asks: what is published is what the job before has left, and a job is what makes it fresher. -#}
{% test promises_kept(model) %}
  {%- set broken = adapter.published_broken(model) if execute and flags.WHICH == 'test' else [] -%}
  {% if not broken %}
select cast(null as string) as broken where false
  {%- else -%}
    {%- for sentence in broken %}
select {{ adapter.sql_literal(sentence) }} as broken{{ ' union all' if not loop.last }}
    {%- endfor -%}
  {%- endif %}
{% endtest %}
