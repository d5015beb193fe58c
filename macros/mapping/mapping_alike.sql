{#- Attributes of a wide entity that are mapped alike: columns of one type that become one type. Spark plans and compiles each expression of each column, so that
    2,000 columns took a minute; here the values of such columns are an array, and one expression maps all of its elements. Adds the arrays to `columns`
    (`mapping_block_columns`), with what is said of them, and returns {attribute: {'number' of its array, its 'place' in it}}. -#}
{% macro mapping_alike(attributes, parsing, columns) %}
  {%- set groups, found = {}, {} -%}
  {%- if parsing.elements | length > entrepot.mapping_wide() -%}
    {%- for attribute in attributes if attribute.name in parsing.elements and not attribute.is_key and not attribute.inside -%}
      {%- set element = parsing.elements[attribute.name] -%}
      {%- if not adapter.mapping_carried(element.attribute, 'json_after') -%}
        {%- do groups.setdefault((element.data_type, attribute.data_type), []).append(attribute) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
  {%- for alike in groups.values() if alike | length > 4 -%}
    {%- do found.update(entrepot.mapping_alike_arrays(alike, loop.index, parsing, columns)) -%}
  {%- endfor -%}
  {{ return(found) }}
{% endmacro %}


{#- From how many mapped attributes on an entity is wide: where Spark stops to generate code for whole stages (spark.sql.codegen.maxFields). -#}
{% macro mapping_wide() %}
  {{ return(100) }}
{% endmacro %}


{#- Adds the arrays of some attributes that are mapped alike, the `number`th such, see `mapping_alike`. The levels of the projection are those of other
    columns; what a level needs of one below goes side by side, `one` being what the arrays have at a place. The names are such an array, too, read from one text: a literal
    one asked by a place, `array('a', …)[nth]`, takes Spark a walk through all of it for each place of each row where it computes rows while it plans. -#}
{% macro mapping_alike_arrays(alike, number, parsing, columns) %}
  {%- set type = entrepot.mapping_spark_type(alike[0].data_type) -%}
  {%- set element = parsing.elements[alike[0].name] -%}
  {%- set names = 'alike_name_' ~ number -%}
  {%- set its_name = 'one.' ~ names -%}
  {%- set sources, mapped, arrays = {}, {}, {} -%}
  {%- for image in ['after', 'before'] -%}
    {%- set name, fields = image ~ '_' ~ number, [] -%}
    {%- for attribute in alike -%}
      {%- set place = parsing.places[parsing.elements[attribute.name].attribute] -%}
      {%- do fields.append(place.struct ~ '_' ~ image ~ '.' ~ place.field) -%}
    {%- endfor -%}
    {%- do columns.fields.append('array(' ~ fields | join(', ') ~ ') as alike_field_' ~ name) -%}
    {%- set source = entrepot.mapping_source_value(element.data_type, 'one.alike_field_' ~ name, element.settings, 'json_' ~ image) -%}
    {%- do arrays.update({image: ['alike_field_' ~ name]}) -%}
    {%- if entrepot.mapping_is_read(source) -%}
      {%- do columns.source.append(entrepot.mapping_of_each(arrays[image], source.value) ~ ' as alike_source_' ~ name) -%}
      {%- do source.update({'value': 'one.alike_source_' ~ name}) -%}
      {%- do arrays[image].append('alike_source_' ~ name) -%}
    {%- endif -%}
    {%- set value = entrepot.mapping_unless_placeholder(source, entrepot.mapping_cast(source, type)) -%}
    {%- set value = "if(op = 'd', null, " ~ value ~ ')' if image == 'before' else value -%}
    {%- do columns['values'][image].append(entrepot.mapping_of_each(arrays[image], value) ~ ' as alike_value_' ~ name) -%}
    {%- do sources.update({image: source}) -%}
    {%- do mapped.update({image: 'one.alike_value_' ~ name}) -%}
  {%- endfor -%}
  {%- set literal = adapter.sql_literal(tojson(alike | map(attribute='name') | list)) -%}
  {%- do columns.fields.append('from_json(' ~ literal ~ ", 'array<string>') as " ~ names) -%}
  {%- do columns.carried_alike.append(names) -%}
  {%- set told = entrepot.mapping_unless_placeholder(sources.after, its_name) -%}
  {%- if told != its_name -%}
    {%- do columns.told.append(entrepot.mapping_of_each([arrays.after[0], names], told) ~ ' as alike_present_' ~ number) -%}
  {%- endif -%}
  {%- do columns.present_alike.append('alike_present_' ~ number if told != its_name else names) -%}
  {%- set checks = entrepot.mapping_checks(sources, mapped, type, false) -%}
  {%- if checks -%}
    {%- do columns.told.append(
      entrepot.mapping_of_each(arrays.after + ['alike_value_after_' ~ number, names], entrepot.mapping_first_said(checks, none, its_name)) ~ ' as alike_check_' ~ number
    ) -%}
    {%- do columns.checks.append('alike_check_' ~ number) -%}
  {%- endif -%}
  {%- set found = {} -%}
  {%- for attribute in alike -%}
    {%- do found.update({attribute.name: {'number': number, 'place': loop.index0}}) -%}
  {%- endfor -%}
  {{ return(found) }}
{% endmacro %}


{#- SQL: an array of `value` for each place of some arrays of one length. -#}
{% macro mapping_of_each(arrays, value) -%}
transform(arrays_zip({{ arrays | join(', ') }}), one -> {{ value }})
{%- endmacro %}


{#- Adds one of the attributes that are mapped alike (`mapping_alike`) to the images of `columns`, see `mapping_block_columns`. -#}
{% macro mapping_alike_column(attribute, alike, columns) %}
  {%- set place = alike.number ~ '[' ~ alike.place ~ ']' -%}
  {%- for image in ['after', 'before'] -%}
    {%- do columns[image].append('alike_value_' ~ image ~ '_' ~ place ~ ' as ' ~ adapter.sql_name(attribute.name)) -%}
  {%- endfor -%}
{% endmacro %}
