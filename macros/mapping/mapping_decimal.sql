{#- SQL: the decimal that Debezium sends as base64 of a big-endian two's complement number, `scale` digits of it after
    the point. Up to 18 digits fit a 64-bit number; longer ones are put together from 32-bit words and become text,
    which a cast then reads exactly. `scale` is a number, or SQL where it travels with the value. -#}
{% macro mapping_decimal(field, precision, scale) -%}
{%- set hex = "hex(unbase64(" ~ field ~ "))" -%}
{%- if precision <= 18 and scale is number -%}
cast(conv(lpad({{ hex }}, 16, if({{ hex }} < '8', '0', 'F')), 16, -10) as decimal(20, 0))
{%- if scale %} * cast('1e-{{ scale }}' as decimal({{ scale + 1 }}, {{ scale }})){% endif -%}
{%- else -%}
transform(
  array(struct({{ hex }} as bits, {{ hex }} >= '8' as negative)),
  number -> transform(
    array(cast(aggregate(
      transform(
        sequence(0, (length(number.bits) - 1) div 8),
        word -> cast(conv(substr(lpad(
          if(number.negative, translate(number.bits, '0123456789ABCDEF', 'FEDCBA9876543210'), number.bits),
          ((length(number.bits) - 1) div 8 + 1) * 8, '0'
        ), word * 8 + 1, 8), 16, 10) as decimal(38, 0))
      ),
      cast(0 as decimal(38, 0)),
      (sum, word) -> cast(sum * cast(4294967296 as decimal(38, 0)) + word as decimal(38, 0))
    ) + if(number.negative, 1, 0) as decimal(38, 0))),
    magnitude -> concat(
      if(number.negative, '-', ''),
      substr(lpad(cast(magnitude as string), greatest({{ scale }} + 1, length(cast(magnitude as string))), '0'), 1,
        greatest(1, length(cast(magnitude as string)) - {{ scale }})),
      '.',
      right(lpad(cast(magnitude as string), greatest({{ scale }} + 1, length(cast(magnitude as string))), '0'), {{ scale }})
    )
  )[0]
)[0]
{%- endif -%}
{%- endmacro %}
