{#- SQL of D_P, the elements of every version's block, from D_U (METL, algorithm 4; since a new version inherits by itself,
    it is update algorithm 5 too). Columns: schema, version, entity, entity_version, attribute, entity_attribute.
      blocks  relation of the stored blocks, with these columns; a row without attributes is a null block
      tree    relation of the domain tree, with schema, version, attribute, renamed_from
    The versions of a schema are walked from the lowest on: a stored block replaces everything, any other version
    inherits from the one before it (see `mapping_inherited`). The walk is one expression per schema and entity. -#}
{% macro mapping_decompact(blocks, tree) -%}
-- entrepot: mapping_decompact, D_P from the stored blocks of {{ blocks }} (METL, algorithm 4)
with
super_block as (
{{ entrepot.mapping_super_blocks(blocks, tree) | indent(2, true) }}
),
walk as (
  select schema, entity, explode(aggregate(
    versions,
    cast(array() as array<struct<
      version: int,
      names: array<string>,
      elements: array<struct<entity_version: int, attribute: string, entity_attribute: string>>
    >>),
    (walked, next) -> array_append(walked, struct(
      next.version,
      next.names,
      coalesce(
        blocks[next.version],
        {{ entrepot.mapping_inherited('try_element_at(walked, -1)', 'next') | indent(8) }},
        array()
      ) as elements
    ))
  )) as block
  from super_block
)
select schema, block.version, entity, element.entity_version, element.attribute, element.entity_attribute
from walk lateral view explode(block.elements) as element
{%- endmacro %}
