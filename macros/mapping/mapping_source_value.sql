{#- How the values of a source attribute travel and what they are: a dict
      json    the type to parse the JSON field with (Spark's `from_json` gives NULL without a word where it does not fit)
      value   SQL of the value, from `field`, the parsed JSON field; null where the field holds none of the source's type
      kind    what the value is: text, whole, decimal, digits (a decimal as text, to its last digit), double, instant, bytes, array (`of`
              such a kind) or other
      text    whether the field is text in JSON, and so may hold Debezium's placeholder for an unchanged TOAST value
      scale   of a decimal, how many digits it has after the point
      field   the parsed field
      unclear SQL that is true where the field reads in two ways and nobody has said which counts; none where that cannot be
      either  SQL that is true where the field, as a number, may be Base64 of another one, because nobody has said the type; none where that cannot be
      marked  whether the image has to be parsed with its numbers in marks (`landing_marked_numbers`): the field may be an object
    `image` is SQL of the JSON that the field is from. -#}
{% macro mapping_source_value(data_type, field, settings={}, image='null') %}
  {%- if (data_type | trim).endswith('[]') -%}
    {{ return(entrepot.mapping_array_value((data_type | trim)[:-2], field, settings, image)) }}
  {%- endif -%}
  {%- set typed = entrepot.mapping_wire(data_type, settings, not settings.in_json) -%}
  {%- set plain = entrepot.mapping_wire(data_type, settings, false) -%}
  {%- if typed.wire == 'decimal' and plain.wire == 'number' -%}
    {#- both as a text of digits: Spark compares a decimal with a text as doubles -#}
    {%- set typed = dict(typed, wire='digits') -%}
  {%- endif -%}
  {%- set source = entrepot.mapping_wire_value(plain if plain.wire == 'decimal_or_number' else typed, field, image) -%}
  {%- if plain != typed and plain.wire != 'decimal_or_number' -%}
    {%- set values = [] -%}
    {%- for wire in [typed, plain] -%}
      {%- set json = entrepot.mapping_wire_value(wire, field).json -%}
      {%- do values.append(entrepot.mapping_wire_value(wire, field if json == 'STRING' else 'try_cast(' ~ field ~ ' as ' ~ json ~ ')', image).value) -%}
    {%- endfor -%}
    {%- do source.update({'json': 'STRING', 'text': true, 'value': 'if(is_typed is not false, ' ~ values | join(', ') ~ ')'}) -%}
  {%- endif -%}
  {{ return(source) }}
{% endmacro %}


{#- An array: each element as its type travels. Elements that need no reading stay the texts that they came as. -#}
{% macro mapping_array_value(data_type, field, settings, image) %}
  {%- set element = entrepot.mapping_source_value(data_type, 'element', settings, image) -%}
  {%- set as_text = element.value == 'element' or element.kind == 'double' -%}
  {{ return({
    'json': 'ARRAY<' ~ ('STRING' if as_text else element.json) ~ '>',
    'value': field if as_text else 'transform(' ~ field ~ ', element -> ' ~ element.value ~ ')',
    'kind': 'array', 'of': element.kind, 'scale': element.scale, 'text': false, 'field': field,
    'unclear': 'exists(' ~ field ~ ', element -> ' ~ element.unclear ~ ')' if element.unclear else none, 'either': none, 'marked': element.marked,
  }) }}
{% endmacro %}


{#- A representation (see `mapping_wire`) of `field`, as `mapping_source_value` describes it. -#}
{% macro mapping_wire_value(how, field, image='null') %}
  {%- set source = {'json': 'STRING', 'value': field, 'kind': 'other', 'text': true, 'field': field, 'unclear': none, 'either': none, 'marked': false} -%}
  {%- set wire = how.wire -%}
  {%- set counted = wire.endswith('_millis') or wire.endswith('_micros') or wire.endswith('_nanos') -%}
  {%- if wire in ['int', 'bigint', 'boolean'] or counted or wire == 'date_days' -%}
    {%- do source.update({'json': {'int': 'INT', 'boolean': 'BOOLEAN', 'date_days': 'INT'}.get(wire, 'BIGINT'), 'text': false}) -%}
  {%- endif -%}
  {%- if wire in ['int', 'bigint'] -%}
    {%- do source.update({'kind': 'whole'}) -%}
  {%- elif wire == 'double' -%}
    {%- do source.update({'kind': 'double', 'value': entrepot.mapping_double(field)}) -%}
  {%- elif wire == 'decimal' and how.arguments[0] <= 38 and 0 <= how.arguments[1] <= 38 -%}
    {%- do source.update({
      'kind': 'decimal', 'value': entrepot.mapping_decimal(field, how.arguments[0], how.arguments[1]), 'scale': how.arguments[1],
    }) -%}
  {%- elif wire in ['decimal', 'digits'] -%}
    {%- do source.update({'kind': 'digits', 'value': entrepot.mapping_digits(field, how.arguments[1])}) -%}
  {%- elif wire == 'number' -%}
    {%- do source.update({'kind': 'digits', 'value': entrepot.mapping_number(field)}) -%}
  {%- elif wire == 'decimal_or_number' -%}
    {%- do source.update(entrepot.mapping_decimal_or_number(field, how.arguments, image)) -%}
  {%- elif wire == 'variable_decimal' -%}
    {%- do source.update({'kind': 'digits', 'value': entrepot.mapping_variable_decimal(field)}) -%}
  {%- elif wire == 'date_days' -%}
    {%- do source.update({'value': entrepot.mapping_date(field)}) -%}
  {%- elif wire.startswith('instant_') and counted -%}
    {%- do source.update({'kind': 'instant', 'value': entrepot.mapping_instant(field, wire.partition('_')[2])}) -%}
  {%- elif wire.startswith('time_') and counted -%}
    {%- do source.update({'value': entrepot.mapping_time_of_day(field, wire.partition('_')[2])}) -%}
  {%- elif wire in ['zoned', 'instant_iso', 'date_iso', 'time_iso'] -%}
    {%- do source.update({'kind': 'instant' if wire in ['zoned', 'instant_iso'] else 'other', 'value': entrepot.mapping_iso(field, wire)}) -%}
  {%- elif wire in ['base64', 'base64_url', 'hex'] -%}
    {%- do source.update({'kind': 'bytes', 'value': entrepot.mapping_bytes(field, wire)}) -%}
  {%- elif wire == 'bits' -%}
    {%- do source.update({'value': entrepot.mapping_bits(field, how.arguments[0])}) -%}
  {%- elif wire == 'text' -%}
    {%- do source.update({'kind': 'text'}) -%}
  {%- elif wire == 'any' -%}
    {%- do source.update({'kind': 'text', 'value': entrepot.landing_unmarked(field), 'marked': true}) -%}
    {%- if how.is_unknown -%}
      {%- do source.update({'either': field ~ " rlike '^([0-9]{4})+$' and not " ~ entrepot.mapping_is_bare(field, image)}) -%}
    {%- endif -%}
  {%- endif -%}
  {%- if wire in ['decimal', 'digits', 'base64', 'base64_url', 'bits'] -%}
    {%- do source.update({'value': 'if(' ~ entrepot.mapping_is_bare(field, image) ~ ', null, ' ~ source.value ~ ')'}) -%}
  {%- endif -%}
  {{ return(source) }}
{% endmacro %}
