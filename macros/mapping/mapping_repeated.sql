{#- Adds the parts of a projection for an array or a map to `columns`, see `mapping_block_columns`: each element of the source's array becomes one of the entity's,
    each value of its map one under its key. What is null stays null; of the fields of an element nobody is told whether they are absent or null. -#}
{% macro mapping_repeated_column(column, parsing, columns) %}
  {%- set leading = entrepot.mapping_leading(column.inside, parsing) -%}
  {%- for image in ['after', 'before'] -%}
    {%- set name = adapter.sql_name(image ~ '_' ~ column.name) -%}
    {%- set value = entrepot.mapping_repeated_value(column.inside, [], parsing, image) if leading else 'cast(null as ' ~ column.data_type ~ ')' -%}
    {%- do columns['values'][image].append(("if(op = 'd', null, " ~ value ~ ')' if leading and image == 'before' else value) ~ ' as ' ~ name) -%}
    {%- do columns[image].append(name ~ ' as ' ~ adapter.sql_name(column.name)) -%}
  {%- endfor -%}
  {%- if leading -%}
    {%- for sentence, condition in entrepot.mapping_repeated_checks(column.inside, [], parsing, adapter.sql_name('after_' ~ column.name)) -%}
      {%- do columns.checks.append('if(' ~ condition ~ ', ' ~ adapter.sql_literal(sentence) ~ ', null)') -%}
    {%- endfor -%}
    {%- do columns.carried.append(adapter.sql_literal(column.name)) -%}
    {%- do columns.present.append(entrepot.mapping_if_array_carried(column, parsing, parsing.places[leading.attribute], leading)) -%}
  {%- endif -%}
{% endmacro %}


{#- The first element of a block that maps something of what is inside of a column, or of a part of it; none where no one does. -#}
{% macro mapping_leading(inside, parsing) %}
  {%- for attribute in inside.attributes if attribute.name in parsing.elements -%}
    {{ return(parsing.elements[attribute.name]) }}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- SQL: the value of a part of a column, `inside`, within the lambdas of `levels`: a field, a record of fields, an array or a map, each in the entity's type. -#}
{% macro mapping_repeated_value(inside, levels, parsing, image) %}
  {%- set leading = entrepot.mapping_leading(inside, parsing) -%}
  {%- if not leading -%}
    {{ return('cast(null as ' ~ inside.type ~ ')') }}
  {%- elif inside.repeats -%}
    {%- set within = levels + [{'struct': parsing.places[leading.attribute].struct, 'repeats': inside.repeats}] -%}
    {%- set value = entrepot.mapping_repeated_value(inside.value, within, parsing, image) -%}
    {{ return(entrepot.mapping_each(parsing.places[leading.attribute], within, image, value)) }}
  {%- elif inside.fields -%}
    {%- set values = [] -%}
    {%- for field, one in inside.fields.items() -%}
      {%- do values.append(entrepot.mapping_repeated_value(one, levels, parsing, image) ~ ' as ' ~ adapter.sql_name(field)) -%}
    {%- endfor -%}
    {{ return('if(' ~ adapter.mapping_level(levels)['value'] ~ ' is null, null, struct(' ~ values | join(', ') ~ '))') }}
  {%- endif -%}
  {%- set source = entrepot.mapping_element_value(leading, levels, parsing, image) -%}
  {{ return(entrepot.mapping_cast(source, entrepot.mapping_spark_type(inside.attributes[0].data_type))) }}
{% endmacro %}


{#- SQL: `value` of each element of the innermost array of `levels`, or of each value of the innermost map, with its key; it is at `place`. A map that has a key
    twice, or is Debezium's placeholder for one that did not change, is null. -#}
{% macro mapping_each(place, levels, image, value) %}
  {%- set source, level = adapter.mapping_reached(place, levels[:-1], image), adapter.mapping_level(levels) -%}
  {%- if levels[-1].repeats == '[]' -%}
    {{ return('transform(' ~ source ~ ', (' ~ level.element ~ ', ' ~ level.index ~ ') -> ' ~ value ~ ')') }}
  {%- endif -%}
  {%- set each = 'transform(' ~ entrepot.mapping_entries(source) ~ ', ' ~ level.element ~ ' -> struct(' ~ level.element ~ '.key as key, ' ~ value ~ ' as value))' -%}
  {{ return('if(' ~ entrepot.mapping_key_twice(source) ~ ' or ' ~ entrepot.mapping_is_placeholder_map(source) ~ ', null, ' ~ each ~ ')') }}
{% endmacro %}


{#- SQL: the keys of a map with their values, sorted by key. -#}
{% macro mapping_entries(source) -%}
array_sort(map_entries({{ source }}), (one, other) -> case when one.key < other.key then -1 when one.key > other.key then 1 else 0 end)
{%- endmacro %}


{#- SQL: whether JSON has a key of a map twice: Spark reads both. -#}
{% macro mapping_key_twice(source) -%}
size(array_distinct(map_keys({{ source }}))) < size(map_keys({{ source }}))
{%- endmacro %}


{#- SQL: whether a map is Debezium's placeholder for a large one that did not change. -#}
{% macro mapping_is_placeholder_map(source) -%}
map_contains_key({{ source }}, '__debezium_unavailable_value')
{%- endmacro %}


{#- How the value travels that an element of the block maps (`mapping_source_value`), within the lambdas of `levels`. -#}
{% macro mapping_element_value(element, levels, parsing, image) %}
  {%- set field = adapter.mapping_reached(parsing.places[element.attribute], levels, image) -%}
  {{ return(entrepot.mapping_source_value(element.data_type, field, element.settings, 'json_' ~ image)) }}
{% endmacro %}


{#- A list of pairs, [sentence, SQL of a condition]: where a part of a column does not fit, or may be read in two ways; `mapped` is SQL of it in the entity's type. -#}
{% macro mapping_repeated_checks(inside, levels, parsing, mapped) %}
  {%- set leading, checks = entrepot.mapping_leading(inside, parsing), [] -%}
  {%- if leading and inside.repeats -%}
    {%- set place = parsing.places[leading.attribute] -%}
    {%- set within = levels + [{'struct': place.struct, 'repeats': inside.repeats}] -%}
    {%- set level, source = adapter.mapping_level(within), adapter.mapping_reached(place, levels, 'after') -%}
    {%- set is_array = inside.repeats == '[]' -%}
    {%- if not is_array -%}
      {%- do checks.append([inside.name ~ '{} has a key twice', 'coalesce(' ~ entrepot.mapping_key_twice(source) ~ ', false)']) -%}
    {%- endif -%}
    {%- set each = source if is_array else 'if(' ~ entrepot.mapping_key_twice(source) ~ ', null, ' ~ entrepot.mapping_entries(source) ~ ')' -%}
    {%- set one = 'get(' ~ mapped ~ ', ' ~ level.index ~ ')' ~ ('' if is_array else '.value') -%}
    {%- for sentence, condition in entrepot.mapping_repeated_checks(inside.value, within, parsing, one) -%}
      {%- do checks.append([sentence, 'exists(transform(' ~ each ~ ', (' ~ level.element ~ ', ' ~ level.index ~ ') -> coalesce(' ~ condition ~ ', false)), is_so -> is_so)']) -%}
    {%- endfor -%}
  {%- elif leading and inside.fields -%}
    {%- for field, one in inside.fields.items() -%}
      {%- do checks.extend(entrepot.mapping_repeated_checks(one, levels, parsing, mapped ~ '.' ~ adapter.sql_name(field))) -%}
    {%- endfor -%}
  {%- elif leading -%}
    {%- set source = entrepot.mapping_element_value(leading, levels, parsing, 'after') -%}
    {%- do checks.extend(entrepot.mapping_element_checks(source, mapped, entrepot.mapping_spark_type(inside.attributes[0].data_type), inside.attributes[0].name)) -%}
  {%- endif -%}
  {{ return(checks) }}
{% endmacro %}


{#- A list of pairs, [sentence, SQL of a condition], of one value: where it does not fit, or may be read in two ways. -#}
{% macro mapping_element_checks(source, mapped, type, attribute) %}
  {%- set checks = [] -%}
  {%- if source.unclear -%}
    {%- do checks.append([attribute ~ ' may be a number or Base64: say decimal.handling.mode of its connector in the variable connectors', source.unclear]) -%}
  {%- endif -%}
  {%- if not entrepot.mapping_always_fits(source, type) -%}
    {%- do checks.append([attribute ~ ' does not fit ' ~ type, entrepot.mapping_lost(source, mapped, type)]) -%}
  {%- endif -%}
  {{ return(checks) }}
{% endmacro %}


{#- SQL: the name of a column of the entity where the after image carries the array or map that it is made of, see `mapping_if_carried`. -#}
{% macro mapping_if_array_carried(column, parsing, place, element) %}
  {%- set told = namespace(name=adapter.sql_literal(column.name)) -%}
  {%- for document in parsing.documents if place.struct in document.structs -%}
    {%- set text = {'kind': 'text', 'text': true, 'marked': true, 'field': document.struct ~ '_after.' ~ document.field} -%}
    {%- set told.name = entrepot.mapping_unless_placeholder(text, told.name) -%}
  {%- endfor -%}
  {%- set found = place.struct ~ '_after.' ~ place.field -%}
  {%- if column.inside.repeats == '{}' -%}
    {%- set told.name = 'if(' ~ entrepot.mapping_is_placeholder_map(found) ~ ', null, ' ~ told.name ~ ')' -%}
  {%- endif -%}
  {%- set carried = adapter.mapping_carried(adapter.mapping_array_of(element.attribute), 'json_after') -%}
  {{ return('if(' ~ found ~ ' is not null or coalesce(' ~ carried ~ ', false), ' ~ told.name ~ ', null)' if carried else told.name) }}
{% endmacro %}
