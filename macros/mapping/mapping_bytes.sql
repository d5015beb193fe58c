{#- SQL: the bytes that a text stands for (`base64`, `base64_url` or `hex`), read strictly: null where it holds anything else. -#}
{% macro mapping_bytes(field, wire) -%}
{%- if wire == 'hex' -%}
if({{ field }} rlike '^[0-9A-Fa-f]*$' and length({{ field }}) % 2 = 0, unhex({{ field }}), null)
{%- else -%}
{%- set text = "translate(" ~ field ~ ", '-_', '+/')" if wire == 'base64_url' else field -%}
if({{ field }} rlike '^[0-9A-Za-z{{ '_-' if wire == 'base64_url' else '+/' }}]*={0,2}$' and length({{ field }}) % 4 = 0, try_to_binary({{ text }}, 'base64'), null)
{%- endif -%}
{%- endmacro %}


{#- SQL: whether a field that may be Base64 stands without quotes in the JSON that it is from (`image`), as a number or as true: `from_json` makes texts of these. Such a
    value stands nowhere else in the image, but by chance; few texts of Base64 are looked for at all. -#}
{% macro mapping_is_bare(field, image) -%}
coalesce(({{ field }} < ':' or {{ field }} = 'true') and {{ field }} rlike '^(-?[0-9]+([eE][+-]?[0-9]+)?|true)$' and contains(
  translate(regexp_replace({{ image }}, '"(?:[^"\\\\]|\\\\.)*+"|\\s+', ''), ':,[]{}', '||||||'), concat('|', {{ field }}, '|')
), false)
{%- endmacro %}


{#- SQL: `bit(length)` as PostgreSQL writes it, such as 00101; Debezium sends the bits as Base64 of bytes, lowest bits first. Null where
    there are more of them. -#}
{% macro mapping_bits(field, length) -%}
transform(
  array(transform(
    reverse(regexp_extract_all(hex({{ entrepot.mapping_bytes(field, 'base64') }}), '..', 0)),
    byte -> lpad(conv(byte, 16, 2), 8, '0')
  )),
  bytes -> if(
    array_join(bytes, '') rlike '^0*[01]{0,{{ length }}}$',
    right(concat(repeat('0', {{ length }}), array_join(bytes, '')), {{ length }}),
    null
  )
)[0]
{%- endmacro %}


{#- SQL: the double in a field of JSON read as text; null where it holds no number, or a number too large for a double. -#}
{% macro mapping_double(field) -%}
if(
  {{ field }} rlike '^[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?$' and abs(try_cast({{ field }} as double)) < double('Infinity')
    and (try_cast({{ field }} as double) <> 0 or {{ field }} rlike '^[+-]?[0.]+([eE]|$)')
  or {{ field }} in ('NaN', 'Infinity', '-Infinity'),
  try_cast({{ field }} as double),
  null
)
{%- endmacro %}
