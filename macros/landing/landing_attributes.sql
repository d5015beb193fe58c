{#- SQL: the attributes of a change event's table as array<struct<attribute, data_type, position, is_key>>, from the
    embedded schema where there is one (with types), else from the names in the image (types null). A name that is there twice is one attribute. -#}
{% macro landing_attributes() -%}
-- the key's names as a variable of a lambda: read once, and not for each attribute
        transform(array(json_object_keys(key_json)), key_names -> case
            when event.op in ('t', 'm') then null
            when schema_json is not null then transform(
                transform(
                    array(get(filter(
                        from_json(
                            schema_json,
                            'fields array<struct<field string, fields array<struct<field string, type string, name string, '
                            || 'parameters map<string,string>, items struct<type string, name string, parameters map<string,string>>>>>>'
                        ).fields,
                        field -> field.field = 'after'
                    ), 0).fields),
                    fields -> filter(fields, (field, index) -> array_position(fields.field, field.field) = index + 1)
                )[0],
                (field, index) -> named_struct(
                    'attribute', field.field,
                    'data_type', {{ entrepot.landing_source_type('field') }},
                    'position', index + 1,
                    'is_key', coalesce(array_contains(key_names, field.field), false)
                )
            )
            else transform(
                array_distinct(json_object_keys(coalesce(event.after, event.before))),
                (attribute, index) -> named_struct(
                    'attribute', attribute,
                    'data_type', cast(null as string),
                    'position', index + 1,
                    'is_key', coalesce(array_contains(key_names, attribute), false)
                )
            )
        end)[0]
{%- endmacro %}


{#- SQL: how the attributes travel (`landing_travels_as`), in the order of their names; null where no type is known. -#}
{% macro landing_attribute_types(attributes) -%}
if(
        exists({{ attributes }}, field -> field.data_type is not null),
        transform(array_sort({{ attributes }}), field -> {{ entrepot.landing_travels_as('field.data_type') }}),
        null
    )
{%- endmacro %}


{#- SQL: whether two relations with `attribute_types` of the same attributes can be one schema version: no type that both know differs. -#}
{% macro landing_same_types(left, right) -%}
not coalesce(exists(zip_with({{ left }}.attribute_types, {{ right }}.attribute_types, (one, other) -> one <> other), differs -> differs), false)
{%- endmacro %}
