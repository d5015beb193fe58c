{#- SQL: the decimal(…, scale) that Debezium sends as Base64 of a big-endian two's complement number, `scale` digits of it after the
    point; null where the field is no such Base64. Up to 18 digits fit a 64-bit number. -#}
{% macro mapping_decimal(field, precision, scale) -%}
{%- if precision > 18 or scale > 18 -%}
try_cast({{ entrepot.mapping_digits(field, scale) }} as decimal(38, {{ scale }}))
{%- else -%}
{%- set hex = "hex(" ~ entrepot.mapping_bytes(field, 'base64') ~ ")" -%}
try_cast(if(length({{ hex }}) between 2 and 16, conv(lpad({{ hex }}, 16, if({{ hex }} < '8', '0', 'F')), 16, -10), null) as decimal(18, 0))
{%- if scale %} * cast('1e-{{ scale }}' as decimal({{ scale + 1 }}, {{ scale }})){% endif -%}
{%- endif -%}
{%- endmacro %}


{#- SQL: such a decimal as text, every digit of it, however many; null above 38 digits. It is put together from 32-bit words. `scale`
    is a number, or SQL where it travels with the value; a negative one stands for zeros before the point. -#}
{% macro mapping_digits(field, scale) -%}
transform(
  array(struct(nullif(hex({{ entrepot.mapping_bytes(field, 'base64') }}), '') as bits, {{ scale }} as scale)),
  sent -> transform(
    array(cast(aggregate(
      transform(
        sequence(0, (length(sent.bits) - 1) div 8),
        word -> cast(conv(substr(lpad(
          if(sent.bits >= '8', translate(sent.bits, '0123456789ABCDEF', 'FEDCBA9876543210'), sent.bits),
          ((length(sent.bits) - 1) div 8 + 1) * 8, '0'
        ), word * 8 + 1, 8), 16, 10) as decimal(38, 0))
      ),
      cast(0 as decimal(38, 0)),
      (sum, word) -> try_cast(try_add(try_multiply(sum, cast(4294967296 as decimal(38, 0))), word) as decimal(38, 0))
    ) + if(sent.bits >= '8', 1, 0) as string)),
    magnitude -> if(sent.scale between -1000 and 20000, concat(
      if(sent.bits >= '8', '-', ''),
      left(lpad(magnitude, greatest(sent.scale + 1, length(magnitude)), '0'), greatest(sent.scale + 1, length(magnitude)) - greatest(sent.scale, 0)),
      if(magnitude = '0', '', repeat('0', -sent.scale)),
      if(sent.scale > 0, concat('.', right(lpad(magnitude, greatest(sent.scale + 1, length(magnitude)), '0'), sent.scale)), '')
    ), null)
  )[0]
)[0]
{%- endmacro %}


{#- SQL: the digits of a `numeric` without arguments: an object of scale and Base64, or a number. -#}
{% macro mapping_variable_decimal(field) -%}
{%- set object = "from_json(" ~ field ~ ", 'scale int, value string')" -%}
if(startswith({{ field }}, '{'), {{ entrepot.mapping_digits(object ~ '.value', object ~ '.scale') }}, {{ entrepot.mapping_number(field) }})
{%- endmacro %}


{#- SQL: the digits of a number in JSON, quoted or not; null where it is none, or none whose digits can be told (an exponent beyond 38). -#}
{% macro mapping_number(field) -%}
case
  when {{ field }} rlike '^[+-]?[0-9]+([.][0-9]*)?$' then trim(leading '+' from {{ field }})
  when {{ field }} rlike '^[+-]?[0-9]+([.][0-9]*)?[eE][+-]?[0-9]{1,2}$' then {{ entrepot.mapping_without_exponent(field) }}
end
{%- endmacro %}


{#- SQL: a number with an exponent of at most two digits as plain digits: the point is moved in the text. -#}
{% macro mapping_without_exponent(field) -%}
transform(
  array(struct(
    regexp_extract({{ field }}, '^([+-]?)', 1) as sign,
    regexp_extract({{ field }}, '^[+-]?([0-9]+)', 1) as whole,
    regexp_extract({{ field }}, '[.]([0-9]*)', 1) as fraction,
    cast(regexp_extract({{ field }}, '[eE]([+-]?[0-9]{1,2})$', 1) as int) as exponent
  )),
  number -> trim(trailing '.' from concat(
    replace(number.sign, '+', ''),
    left(concat(repeat('0', 1 - number.exponent - length(number.whole)), number.whole, rpad(number.fraction, greatest(number.exponent, length(number.fraction)), '0')),
      greatest(length(number.whole), 1 - number.exponent) + number.exponent),
    '.',
    substr(concat(repeat('0', 1 - number.exponent - length(number.whole)), number.whole, rpad(number.fraction, greatest(number.exponent, length(number.fraction)), '0')),
      greatest(length(number.whole), 1 - number.exponent) + number.exponent + 1)
  ))
)[0]
{%- endmacro %}


{#- What is Base64 in the connector's mode `precise` and a number in the others, where nobody has said which (see
    `mapping_source_value`): Base64 where the record carries its schema, else what the field can only be; without quotes it is a number. -#}
{% macro mapping_decimal_or_number(field, arguments, image) %}
  {%- set typed = entrepot.mapping_wire_value({'wire': 'decimal', 'arguments': arguments}, field, image) -%}
  {%- set is_number = field ~ " rlike '^[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?$'" -%}
  {%- set is_base64 = "length(" ~ field ~ ") % 4 = 0 and " ~ field ~ " not rlike '[.-]' and not " ~ entrepot.mapping_is_bare(field, image) -%}
  {%- set number = entrepot.mapping_number(field) if typed.kind == 'digits' else entrepot.mapping_fitting_number(field, arguments[1]) -%}
  {{ return({
    'kind': typed.kind, 'scale': arguments[1],
    'value': 'case when is_typed is not false or not ' ~ is_number ~ ' then ' ~ typed.value ~ ' when not (' ~ is_base64 ~ ') then ' ~ number ~ ' end',
    'unclear': 'is_typed is false and ' ~ is_number ~ ' and ' ~ is_base64,
  }) }}
{% endmacro %}


{#- SQL: the decimal(38, scale) of a number in JSON; null where it has more digits after the point, or an exponent and more digits than a
    double keeps. -#}
{% macro mapping_fitting_number(field, scale) -%}
{%- set decimal = 'try_cast(' ~ field ~ ' as decimal(38, ' ~ scale ~ '))' -%}
if(
  {{ field }} rlike '^[+-]?[0-9]+([.][0-9]{0,{{ scale }}}0*)?$'
  or {{ field }} rlike '^[+-]?[0-9.]{1,16}[eE][+-]?[0-9]+$' and try_cast({{ decimal }} as double) = try_cast({{ field }} as double)
    and (try_cast({{ field }} as double) <> 0 or {{ field }} rlike '^[+-]?[0.]+[eE]'),
  {{ decimal }}, null
)
{%- endmacro %}
