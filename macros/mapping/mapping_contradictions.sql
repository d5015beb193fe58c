{#- Raises where the seeds of the mapping contradict each other, with the first contradictions in words. -#}
{% macro mapping_refuse_contradictions() %}
  {%- set sentence = entrepot.mapping_contradictions_told() -%}
  {%- if sentence -%}
    {%- do exceptions.raise_compiler_error(sentence) -%}
  {%- endif -%}
{% endmacro %}


{#- Says in words what tests of the mapping have found, those that failed and those that warn; `results` are the results of this run. Tests whose rows
    have a `problem` say it with the line of the seed's file; of the others the contradictions are asked for, once. A warning that stands has been
    said by the job that found it. -#}
{% macro mapping_explain_failures(results) %}
  {%- set found = namespace(contradicts=false) -%}
  {%- for result in results if result.node.resource_type == 'test' and result.node.test_metadata and result.status in ['fail', 'warn'] -%}
    {%- set test = result.node.test_metadata.name -%}
    {%- if test in ['mapping_one_to_one', 'mapping_attributes_exist'] -%}
      {%- set found.contradicts = true -%}
    {%- elif result.adapter_response.get('_message') != 'unchanged' and test in ['mapping_versions_without_gaps', 'mapping_keys_mapped', 'mapping_versions_mapped', 'mapping_types_convert', 'mapping_types_fit'] -%}
      {%- do log(test ~ ':\n  ' ~ adapter.mapping_told(jobs_query(result.node.compiled_code)) | join('\n  '), info=True) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do log(entrepot.mapping_contradictions_told() or '', info=True) if found.contradicts -%}
{% endmacro %}


{#- The first five contradictions in words, and what to do; none where there are none. -#}
{% macro mapping_contradictions_told() %}
  {%- set sentences = [] -%}
  {%- for row in jobs_query(adapter.jobs_at_hand(model, entrepot.mapping_contradictions_sql() ~ '\norder by 1 limit 6')) -%}
    {%- do sentences.append(row.contradiction) -%}
  {%- endfor -%}
  {{ return(
    "The mapping seeds contradict each other:\n  " ~ sentences[:5] | join('\n  ') ~ ('\n  …' if sentences | length > 5 else '')
    ~ "\nCorrect seeds/mapping/unique_block.csv, schema_attribute.csv or entity_attribute.csv, or files of owners beside them, and build again (docs/mapping.md); "
    ~ "until then nothing is mapped and nothing is published." if sentences else none
  ) }}
{% endmacro %}


{#- SQL: what contradicts what in D_U, the domain tree and the range tree, one sentence a row (`contradiction`). -#}
{% macro mapping_contradictions_sql() %}
with block as (
  select * from {{ jobs_named_relation('unique_block', 'the mapping (docs/mapping.md)') }} where attribute <> '' and entity_attribute <> ''
),
tree as (
  select schema, version, attribute from {{ jobs_named_relation('schema_attribute', 'the mapping (docs/mapping.md)') }}
  {%- if load_cached_relation(jobs_named_relation('discovered_schema_attribute', 'the mapping (docs/mapping.md)')) %}
  union select schema, version, attribute from {{ jobs_named_relation('discovered_schema_attribute', 'the mapping (docs/mapping.md)') }}
  {%- endif %}
),
range as (
  select entity, entity_version, entity_attribute, {{ entrepot.mapping_lower('trim(data_type)') }} as data_type, is_key from {{ jobs_named_relation('entity_attribute', 'the mapping (docs/mapping.md)') }}
),
place as (
  select *, concat('unique_block: ', schema, ' version ', version, ' to ', entity, ' version ', entity_version) as place from block
)
select concat(place, ': the schema has no attribute ', attribute, ' in this version') as contradiction
from place left anti join tree using (schema, version, attribute)
union all
select concat(place, ': the entity has no attribute ', entity_attribute, ' in this version')
from place left anti join range using (entity, entity_version, entity_attribute)
union all
select concat(place, ': ', entity_attribute, ' is mapped from ', array_join(array_sort(collect_list(attribute)), ' and '))
from place group by place, entity_attribute having count(*) > 1
union all
select concat(place, ': ', attribute, ' is mapped to ', array_join(array_sort(collect_list(entity_attribute)), ' and '))
from place group by place, attribute having count(*) > 1
union all
select concat('schema_attribute: ', schema, ' version ', version, ' has the attribute ', attribute, ' ', count(*), ' times')
from {{ jobs_named_relation('schema_attribute', 'the mapping (docs/mapping.md)') }} group by schema, version, attribute having count(*) > 1
union all
select concat('entity_attribute: ', entity, ' version ', entity_version, ' has the attribute ', entity_attribute, ' ', count(*), ' times')
from range group by entity, entity_version, entity_attribute having count(*) > 1
union all
select concat('entity_attribute: ', entity, ' version ', entity_version, ' has the key ', entity_attribute, ', which is the name of a column of every mapped model')
from range where is_key and {{ entrepot.mapping_lower('entity_attribute') }} in (
  'event_id', 'source_system', 'schema_name', 'schema_version', 'op', 'commit_position', 'committed_at', 'transaction_id', 'before', 'after', 'present',
  'mapping_error'
)
union all
select concat('entity_attribute: ', entity, ' version ', entity_version, ': ', entity_attribute, ' has the type ', coalesce(data_type, 'null'), ', which is none')
from range where coalesce(data_type, '') not rlike '^(integer|int|bigint|long|smallint|short|tinyint|byte|number|(decimal|numeric|dec)( *[(].*[)])?|float|real|double|boolean|string|text|json|time|date|datetime|timestamp|timestamp_ntz|binary|(array|map|struct) *<.*>)$'
{% endmacro %}
