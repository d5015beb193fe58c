{#- How values of a PostgreSQL type travel in Debezium's JSON: a dict
      wire       the representation, which `mapping_wire_value` can read
      arguments  the numbers that belong to it: precision and scale, or a length
      is_unknown whether nobody has said what a value that may be anything is: no type, or a word that is none of PostgreSQL's
    Where the record carries its schema (`is_typed`), the type says it, because another representation is another type there.
    Without a schema it is as the connector has been set to send it (`settings`, see `mapping_settings`). -#}
{% macro mapping_wire(data_type, settings, is_typed) %}
  {%- set type = data_type | lower | trim -%}
  {#- the type without its arguments, and these: `timestamp(3) with time zone` is `timestamp with time zone` and 3 -#}
  {%- set base = modules.re.sub(' *[(][^)]*[)] *', ' ', type) | trim -%}
  {%- set arguments = modules.re.findall('-?[0-9]+', type.partition('(')[2].partition(')')[0]) | map('int') | list -%}
  {%- set words = {
    'int': ['smallint', 'int2', 'smallserial', 'integer', 'int', 'int4', 'serial'],
    'bigint': ['bigint', 'int8', 'bigserial', 'oid'],
    'double': ['real', 'float4', 'double precision', 'float8', 'double'],
    'boolean': ['boolean', 'bool'],
    'decimal': ['numeric', 'decimal', 'money'],
    'date': ['date'],
    'zoned': ['timestamptz', 'timestamp with time zone'],
    'time': ['time', 'time without time zone'],
    'instant': ['timestamp', 'timestamp without time zone'],
    'bytes': ['bytea'],
    'bits': ['bit'],
    'instant_nanos': ['io.debezium.time.nanotimestamp'],
    'time_nanos': ['io.debezium.time.nanotime'],
    'instant_iso': ['io.debezium.time.isotimestamp'],
    'time_iso': ['io.debezium.time.isotime'],
    'date_iso': ['io.debezium.time.isodate'],
    'text': [
      'text', 'varchar', 'character varying', 'char', 'character', 'bpchar', 'citext', 'name', 'uuid', 'xml', 'inet', 'cidr', 'macaddr',
      'macaddr8', 'ltree', 'tsvector', 'time with time zone', 'timetz', 'interval', 'enum',
    ],
  } -%}
  {%- set found = [] -%}
  {%- for wire, names in words.items() if base in names -%}{%- do found.append(wire) -%}{%- endfor -%}
  {%- set wire = found | first or 'any' -%}
  {%- if wire == 'bits' and arguments in ([], [1]) -%}
    {{ return({'wire': 'boolean', 'arguments': []}) }}
  {%- elif wire == 'decimal' -%}
    {{ return(entrepot.mapping_wire_of_decimal([19, 2] if base == 'money' else arguments, 'precise' if is_typed else settings.get('decimal.handling.mode'))) }}
  {%- elif wire in ['time', 'instant', 'date'] -%}
    {{ return(entrepot.mapping_wire_of_time(wire, arguments, 'adaptive' if is_typed else settings.get('time.precision.mode', 'adaptive'))) }}
  {%- elif wire == 'bytes' -%}
    {%- set mode = 'bytes' if is_typed else settings.get('binary.handling.mode', 'bytes') -%}
    {{ return({'wire': {'hex': 'hex', 'base64-url-safe': 'base64_url'}.get(mode, 'base64'), 'arguments': []}) }}
  {%- endif -%}
  {{ return({'wire': wire, 'arguments': arguments, 'is_unknown': wire == 'any' and base not in ['json', 'jsonb', 'hstore', 'map', 'struct', 'point']}) }}
{% endmacro %}


{#- `numeric(p,s)` is Base64 in mode `precise` and a number, quoted or not, in the others; where nobody has said which, either. Without
    arguments a record says itself which it is: an object of scale and Base64, or a number. -#}
{% macro mapping_wire_of_decimal(arguments, mode) %}
  {%- if not arguments -%}
    {{ return({'wire': 'variable_decimal', 'arguments': []}) }}
  {%- endif -%}
  {{ return({
    'wire': {'precise': 'decimal', 'string': 'number', 'double': 'number'}.get(mode, 'decimal_or_number'),
    'arguments': [arguments[0], arguments[1] if arguments | length > 1 else 0],
  }) }}
{% endmacro %}


{#- Times and dates are counts of a unit since 1970 or midnight, or ISO texts. `adaptive` goes by the digits of the type's seconds. -#}
{% macro mapping_wire_of_time(wire, arguments, mode) %}
  {%- if mode == 'isostring' -%}
    {{ return({'wire': wire ~ '_iso', 'arguments': []}) }}
  {%- elif wire == 'date' -%}
    {{ return({'wire': 'date_days', 'arguments': []}) }}
  {%- endif -%}
  {%- set adapted = 'millis' if arguments and arguments[0] <= 3 else 'micros' -%}
  {%- set units = {
    'connect': 'millis', 'microseconds': 'micros', 'nanoseconds': 'nanos',
    'adaptive_time_microseconds': 'micros' if wire == 'time' else adapted,
  } -%}
  {{ return({'wire': wire ~ '_' ~ units.get(mode, adapted), 'arguments': []}) }}
{% endmacro %}
