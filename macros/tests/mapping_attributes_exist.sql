{#- Elements of blocks whose attribute is not in the domain tree at the block's schema version, or whose entity attribute is
    not in the range tree at the block's entity version; null blocks of versions that are not there. -#}
{% test mapping_attributes_exist(model, schema_tree, entity_tree) %}
select element.*, 'attribute' as missing
from (select * from {{ model }}) as element
left anti join {{ schema_tree }} as source
  on element.schema = source.schema
  and element.version = source.version
  and (element.attribute = source.attribute or (coalesce(element.attribute, '') = '' and coalesce(element.entity_attribute, '') = ''))
union all
select element.*, 'entity_attribute' as missing
from (select * from {{ model }}) as element
left anti join {{ entity_tree }} as target
  on element.entity = target.entity
  and element.entity_version = target.entity_version
  and (
    element.entity_attribute = target.entity_attribute
    or (coalesce(element.attribute, '') = '' and coalesce(element.entity_attribute, '') = '')
  )
{% endtest %}
