{#- Blocks that are no one-to-one relation (METL 5.3.2): attributes of the source or of the entity that a block names more
    than once, and null blocks that have elements besides. A block is a schema version and an entity version. -#}
{% test mapping_one_to_one(model) %}
{%- set block = 'schema, version, entity, entity_version' %}
{%- for side in ['attribute', 'entity_attribute'] %}
select {{ block }}, '{{ side }}' as side, {{ side }} as name, count(*) as rows_found
from {{ model }}
where {{ side }} <> ''
group by {{ block }}, {{ side }}
having count(*) > 1
union all
{%- endfor %}
select {{ block }}, 'null block' as side, max(attribute) as name, count(*) as rows_found
from {{ model }}
group by {{ block }}
having count(*) > 1 and count_if(coalesce(attribute, '') = '' and coalesce(entity_attribute, '') = '') > 0
{% endtest %}
