{#- Blocks that have elements and leave out a key attribute of their entity: its events would have no key. -#}
{% test mapping_keys_mapped(model, entity_tree) %}
{%- set block = 'schema, version, entity, entity_version' %}
select
  'unique_block' as seed, {{ block }},
  concat(schema, ' version ', version, ' to ', entity, ' version ', entity_version, ': no attribute becomes the key ', entity_attribute) as problem,
  concat('Map an attribute to ', entity_attribute, ', or say is_key false of it in entity_attribute.csv.') as instead
from (select distinct {{ block }} from {{ model }} where attribute <> '' and entity_attribute <> '')
inner join (select entity, entity_version, entity_attribute from {{ entity_tree }} where is_key) using (entity, entity_version)
left anti join {{ model }} using ({{ block }}, entity_attribute)
{% endtest %}
