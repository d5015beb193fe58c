{#- Registered versions of the schemas that feed an entity whose block, their own or the one that they inherit, has no element to a version of the
    entity. A null block says that it shall not; what a block has lost by itself is in mapping_review. -#}
{% test mapping_versions_mapped(model, schema_tree, entity_tree) %}
with stored as (
  select
    schema, entity, version,
    struct(
      bool_and(coalesce(attribute, '') = '' and coalesce(entity_attribute, '') = '') as is_null_block,
      collect_set(if(coalesce(attribute, '') <> '', entity_version, null)) as reached
    ) as block
  from {{ model }}
  group by schema, entity, version
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
  'schema_attribute' as seed, in_force.schema, in_force.version, supported.entity, supported.entity_version,
  concat(in_force.schema, ' version ', in_force.version, ' has no element to ', supported.entity, ' version ', supported.entity_version) as problem,
  'Add its block to unique_block.csv, or take the entity version out: entrepot mapping retire; where the schema shall not feed the entity, a null block: '
    || 'a row with both attributes empty.' as instead
from in_force
inner join (select distinct entity, entity_version from {{ entity_tree }}) as supported on in_force.entity = supported.entity
where not coalesce(in_force.block.is_null_block or array_contains(in_force.block.reached, supported.entity_version), false)
{% endtest %}
