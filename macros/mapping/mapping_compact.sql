{#- SQL of D_U from D_P (METL, algorithm 3): of each schema and entity, the blocks that differ from the block of the
    version before. Attributes compare by their equivalence over versions, so a rename alone is no difference (see
    `mapping_inherited`). Where a block ends, one row without attributes is kept, the null block; none before the first.
      balanced_set  relation of D_P: schema, version, entity, entity_version, attribute, entity_attribute
      tree          relation of the domain tree, with schema, version, attribute, renamed_from -#}
{% macro mapping_compact(balanced_set, tree) -%}
-- entrepot: mapping_compact, D_U from the blocks of {{ balanced_set }} (METL, algorithm 3)
with
super_block as (
{{ entrepot.mapping_super_blocks(balanced_set, tree) | indent(2, true) }}
),
step as (
  select schema, entity, inline(transform(versions, (next, number) -> struct(
    next.version,
    next,
    coalesce(blocks[next.version], array()) as elements,
    struct(
      get(versions, number - 1).names as names,
      coalesce(blocks[get(versions, number - 1).version], array()) as elements
    ) as before
  )))
  from super_block
)
select
  schema,
  version,
  entity,
  coalesce(element.entity_version, get(before.elements, 0).entity_version) as entity_version,
  element.attribute,
  element.entity_attribute
from step lateral view outer explode(elements) as element
where size(elements) <> size(before.elements)
  or array_sort(elements) <> array_sort({{ entrepot.mapping_inherited('before', 'next') | indent(2) }})
{%- endmacro %}
