{#- The models that map to an entity: [{'relation', 'entity', 'entity_version'}, …], sorted; the version is none where the newest is meant. Known when a
    model is compiled to be run, not while dbt parses: who reads their rows names them by `mapping_mapped_entities`. -#}
{% macro mapping_mapped_models() %}
  {%- set found = [] -%}
  {%- for node in (graph.nodes.values() if execute else []) if node.resource_type == 'model' and node.config.get('entity') -%}
    {%- do found.append({
      'relation': node.schema ~ '.' ~ node.alias, 'entity': node.config.entity, 'entity_version': node.config.get('entity_version'),
    }) -%}
  {%- endfor -%}
  {{ return(found | sort(attribute='relation')) }}
{% endmacro %}
