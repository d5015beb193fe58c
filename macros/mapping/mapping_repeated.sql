{#- Adds the parts of a projection for an array of records to `columns`, see `mapping_block_columns`: each element of the source's array becomes a struct of the
    entity's fields. An element that is null stays one; of the fields of an element nobody is told whether they are absent or null. -#}
{% macro mapping_repeated_column(column, parsing, columns) %}
  {%- set mapped = [] -%}
  {%- for field, attribute in column.fields.items() if attribute.name in parsing.elements -%}
    {%- do mapped.append(parsing.elements[attribute.name]) -%}
  {%- endfor -%}
  {%- set place = parsing.places[mapped[0].attribute] if mapped else none -%}
  {%- for image in ['after', 'before'] -%}
    {%- set name = adapter.sql_name(image ~ '_' ~ column.name) -%}
    {%- set values, array = [], place.struct ~ '_' ~ image ~ '.' ~ place.field if place else none -%}
    {%- for field, attribute in column.fields.items() if place -%}
      {%- set type = entrepot.mapping_spark_type(attribute.data_type) -%}
      {%- set source = entrepot.mapping_element_value(attribute, parsing, place, image) -%}
      {%- do values.append((entrepot.mapping_cast(source, type) if source else 'cast(null as ' ~ type ~ ')') ~ ' as ' ~ adapter.sql_name(field)) -%}
      {%- if source and image == 'after' -%}
        {%- set fitting = entrepot.mapping_element_checks(source, 'get(' ~ name ~ ', index).' ~ adapter.sql_name(field), type, attribute.name, array) -%}
        {%- do columns.checks.extend(fitting) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- set value = 'transform(' ~ array ~ ', (element, index) -> if(element is null, null, struct(' ~ values | join(', ') ~ ')))' -%}
    {%- set value = value if place else 'cast(null as ' ~ column.data_type ~ ')' -%}
    {%- do columns['values'][image].append(("if(op = 'd', null, " ~ value ~ ')' if place and image == 'before' else value) ~ ' as ' ~ name) -%}
    {%- do columns[image].append(name ~ ' as ' ~ adapter.sql_name(column.name)) -%}
  {%- endfor -%}
  {%- do columns.present.append(entrepot.mapping_if_array_carried(column.name, parsing, place, mapped[0])) if place -%}
{% endmacro %}


{#- How the value of a field of an array's elements travels (`mapping_source_value`), within a lambda of `element` and `index`; none where the block has no such
    element. A field that is parsed into another struct than the array at `place` is found there by its index. -#}
{% macro mapping_element_value(attribute, parsing, place, image) %}
  {%- set element = parsing.elements.get(attribute.name) -%}
  {%- if not element -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set found = parsing.places[element.attribute] -%}
  {%- set record = 'element' if found.struct == place.struct else 'get(' ~ found.struct ~ '_' ~ image ~ '.' ~ found.field ~ ', index)' -%}
  {{ return(entrepot.mapping_source_value(element.data_type, record ~ '.' ~ found.element, element.settings)) }}
{% endmacro %}


{#- A list of SQL: sentences where an element's value does not fit, or may be read in two ways; null where all do. -#}
{% macro mapping_element_checks(source, mapped, type, attribute, array) %}
  {%- set conditions = {} -%}
  {%- if source.unclear -%}
    {%- do conditions.update({attribute ~ ' may be a number or Base64: say decimal.handling.mode of its connector in the variable connectors': source.unclear}) -%}
  {%- endif -%}
  {%- if not entrepot.mapping_always_fits(source, type) -%}
    {%- do conditions.update({attribute ~ ' does not fit ' ~ type: entrepot.mapping_lost(source, mapped, type)}) -%}
  {%- endif -%}
  {%- set checks = [] -%}
  {%- for sentence, condition in conditions.items() -%}
    {%- do checks.append('if(exists(transform(' ~ array ~ ', (element, index) -> coalesce(' ~ condition ~ ', false)), is_so -> is_so), ' ~ adapter.sql_literal(sentence) ~ ', null)') -%}
  {%- endfor -%}
  {{ return(checks) }}
{% endmacro %}


{#- SQL: the name of a column of the entity where the after image carries the array that it is made of, see `mapping_if_carried`. -#}
{% macro mapping_if_array_carried(name, parsing, place, element) %}
  {%- set told = namespace(name=adapter.sql_literal(name)) -%}
  {%- for document in parsing.documents if place.struct in document.structs -%}
    {%- set text = {'kind': 'text', 'text': true, 'marked': true, 'field': document.struct ~ '_after.' ~ document.field} -%}
    {%- set told.name = entrepot.mapping_unless_placeholder(text, told.name) -%}
  {%- endfor -%}
  {%- set carried = adapter.mapping_carried(adapter.mapping_array_of(element.attribute), 'json_after') -%}
  {{ return('if(' ~ place.struct ~ '_after.' ~ place.field ~ ' is not null or coalesce(' ~ carried ~ ', false), ' ~ told.name ~ ', null)' if carried else told.name) }}
{% endmacro %}
