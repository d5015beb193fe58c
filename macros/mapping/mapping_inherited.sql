{#- SQL of the elements that a schema version inherits from the one before it (METL, algorithm 5, a schema version is
    added): an element stays where its attribute is still there; where it is not, but a new attribute is renamed from it,
    it goes on under the new name; else it ends. Types do not matter; an attribute that comes back later is a new one.
      before  SQL of a struct: names and elements of the version before
      next    SQL of a struct: names and renames of the version, as in `mapping_super_blocks` -#}
{% macro mapping_inherited(before, next) -%}
filter(
  transform({{ before }}.elements, element -> struct(
    element.entity_version,
    if(
      array_contains({{ next }}.names, element.attribute),
      element.attribute,
      get(filter({{ next }}.renames, rename ->
        rename.renamed_from = element.attribute and not array_contains({{ before }}.names, rename.attribute)
      ), 0).attribute
    ) as attribute,
    element.entity_attribute
  )),
  element -> element.attribute is not null
)
{%- endmacro %}
