{#- Versions that follow a gap: of a source schema, or of an entity. The first ones may have been taken out. -#}
{% test mapping_versions_without_gaps(model, owner) %}
{%- set version = 'version' if owner == 'schema' else 'entity_version' %}
select
  '{{ owner }}_attribute' as seed,
  {{ owner }},
  {{ version }},
  concat({{ owner }}, ' has a version ', {{ version }}, ' and none between ', before, ' and that') as problem,
  concat('Versions follow each other: add those between, or write ', before + 1, '.') as instead
from (
  select {{ owner }}, {{ version }}, lag({{ version }}) over (partition by {{ owner }} order by {{ version }}) as before
  from (select distinct {{ owner }}, {{ version }} from {{ model }})
)
where before < {{ version }} - 1
{% endtest %}
