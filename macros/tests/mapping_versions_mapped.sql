{#- Registered versions of the schemas that feed an entity whose block, their own or the one that they inherit, has no element to the entity's newest
    version. A null block says that it shall not; what a block has lost by itself is in mapping_review. -#}
{% test mapping_versions_mapped(model, schema_tree, entity_tree) %}
with newest as (
  select entity, max(entity_version) as entity_version from {{ entity_tree }} group by entity
),
stored as (
  select
    block.schema, block.entity, block.version,
    struct(
      bool_and(coalesce(block.attribute, '') = '' and coalesce(block.entity_attribute, '') = '') as is_null_block,
      bool_or(coalesce(block.attribute, '') <> '' and block.entity_version = newest.entity_version) as reaches
    ) as block
  from (select * from {{ model }}) as block inner join newest on block.entity = newest.entity
  group by block.schema, block.entity, block.version
),
registered as (
  select distinct schema, version from {{ schema_tree }} where origin = 'seed'
),
in_force as (
  select feeds.schema, registered.version, feeds.entity, max_by(stored.block, stored.version) as block
  from (select distinct schema, entity from stored where not block.is_null_block) as feeds
  inner join registered on feeds.schema = registered.schema
  left join stored on feeds.schema = stored.schema and feeds.entity = stored.entity and stored.version <= registered.version
  group by feeds.schema, registered.version, feeds.entity
)
select
  'schema_attribute' as seed, in_force.schema, in_force.version, newest.entity, newest.entity_version,
  concat(in_force.schema, ' version ', in_force.version, ' has no element to ', newest.entity, ' version ', newest.entity_version) as problem,
  'Add its block to unique_block.csv; where it shall not feed the entity, a null block: a row with both attributes empty.' as instead
from in_force inner join newest on in_force.entity = newest.entity
where not coalesce(in_force.block.is_null_block or in_force.block.reaches, false)
{% endtest %}
