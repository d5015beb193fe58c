{#- The parts of a block's projection, as lists of SQL, one for each attribute of the entity:
      parse    the schema that the images are parsed with: the block's attributes in the types of their schema version
      after    the attributes of the after image
      before   the attributes of the before image; of a delete only the key, the rest of it is not real
      present  the names of the attributes that the after image carries
      checks   what did not fit, as text; null where all is well -#}
{% macro mapping_block_columns(block, attributes) %}
  {%- set columns = {'after': [], 'before': [], 'present': [], 'checks': []} -%}
  {%- set fields = ['`_misfit` STRING'] -%}
  {%- set elements = {} -%}
  {%- for element in block.elements -%}
    {%- do elements.update({element.entity_attribute: element}) -%}
  {%- endfor -%}
  {%- for attribute in attributes -%}
    {%- set type = entrepot.mapping_spark_type(attribute.data_type) -%}
    {%- set element = elements.get(attribute.name) -%}
    {%- if element is none -%}
      {%- do columns.after.append('cast(null as ' ~ type ~ ') as ' ~ attribute.name) -%}
      {%- do columns.before.append('cast(null as ' ~ type ~ ') as ' ~ attribute.name) -%}
    {%- else -%}
      {%- set quoted = '`' ~ element.attribute.replace('`', '``') ~ '`' -%}
      {%- set after = entrepot.mapping_source_value(element.data_type, 'image_after.' ~ quoted) -%}
      {%- set before = entrepot.mapping_source_value(element.data_type, 'image_before.' ~ quoted) -%}
      {%- set value = 'try_cast(' ~ after.value ~ ' as ' ~ type ~ ')' -%}
      {%- do fields.append(quoted ~ ' ' ~ after.json) -%}
      {%- do columns.after.append(entrepot.mapping_unless_placeholder(after, value) ~ ' as ' ~ attribute.name) -%}
      {%- do columns.before.append(
        ('' if attribute.is_key else "if(op = 'd', null, ") ~ entrepot.mapping_unless_placeholder(before, 'try_cast(' ~ before.value ~ ' as ' ~ type ~ ')')
        ~ ('' if attribute.is_key else ')') ~ ' as ' ~ attribute.name
      ) -%}
      {%- do columns.present.append(entrepot.mapping_unless_placeholder(after, adapter.sql_literal(attribute.name))) -%}
      {%- do columns.checks.append(entrepot.mapping_check(after, attribute.name, type, before if attribute.is_key else none)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do columns.update({'parse': adapter.sql_literal(fields | join(', '))}) -%}
  {{ return(columns) }}
{% endmacro %}


{#- SQL: `value`, or null where the source sent Debezium's placeholder for a TOAST value that did not change. -#}
{% macro mapping_unless_placeholder(source, value) %}
  {%- if source.text -%}
    {{ return('if(' ~ source.field ~ " in ('__debezium_unavailable_value', 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='), null, " ~ value ~ ')') }}
  {%- endif -%}
  {{ return(value) }}
{% endmacro %}


{#- SQL: a sentence where a value that is there has become null, or lost digits, in the entity's type; else null. Of a key
    the before image counts too, where it is all that there is. -#}
{% macro mapping_check(source, name, type, before=none) %}
  {%- set lost = 'after.' ~ name ~ ' is null' ~ entrepot.mapping_loses_digits(source, 'after.' ~ name, type) -%}
  {{ return(
    'if((' ~ source.field ~ ' is not null and ' ~ entrepot.mapping_unless_placeholder(source, "''") ~ ' is not null and (' ~ lost
    ~ '))' ~ (' or (image_after is null and ' ~ before.field ~ ' is not null and before.' ~ name ~ ' is null)' if before else '') ~ ", '" ~ name ~ ' does not fit ' ~ type ~ "', null)"
  ) }}
{% endmacro %}


{#- SQL: `or …`, true where a value has more digits after the point than its exact type keeps; empty where that cannot be.
    Of a double the value itself is compared, because its text may be written with an exponent. -#}
{% macro mapping_loses_digits(source, mapped, type) %}
  {%- set whole = type in ['tinyint', 'smallint', 'int', 'bigint'] -%}
  {%- if not (whole or type.startswith('decimal')) or (source.json in ['INT', 'BIGINT', 'BOOLEAN'] and source.value == source.field) -%}
    {{ return('') }}
  {%- elif source.json == 'DOUBLE' -%}
    {{ return(' or ' ~ mapped ~ ' <> ' ~ source.value) }}
  {%- endif -%}
  {%- set scale = type.split(',')[1].rstrip(')') | trim if ',' in type else '0' -%}
  {{ return(" or length(trim(trailing '0' from split_part(cast(" ~ source.value ~ " as string), '.', 2))) > " ~ scale) }}
{% endmacro %}
