{#- SQL: the JSON of an image, digit for digit. Spark's `from_json` hands on nested numbers as doubles; where a
    number has more digits than a double keeps, the image is taken through `variant`, which keeps 38 of them. -#}
{% macro landing_exact_json(parsed, path) -%}
if(
            envelope_json rlike '[:\\[,]\\s*-?(?=[0-9.]{17,})[0-9]+[.][0-9]+',
            cast(variant_get(try_parse_json(envelope_json), {{ path }}, 'variant') as string),
            {{ parsed }}
        )
{%- endmacro %}
