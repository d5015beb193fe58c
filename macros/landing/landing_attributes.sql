{#- SQL: the attributes of a change event's table as array<struct<attribute, data_type, position, is_key>>, from the
    embedded schema where there is one (with types, and with what is inside of records), and from the names in the image that none tells (types null).
    A name that is there twice is one attribute. -#}
{% macro landing_attributes() -%}
-- the key's names as a variable of a lambda: read once, and not for each attribute
        transform(array(json_object_keys(key_json)), key_names -> case
            when event.op in ('t', 'm') then null
            when schema_json is not null then transform(
                transform(
                    array(image_fields),
                    fields -> filter(fields, (field, index) -> array_position(fields.path, field.path) = index + 1)
                )[0],
                (field, index) -> named_struct(
                    'attribute', field.path,
                    'data_type', {{ entrepot.landing_source_type('field') }},
                    'position', index + 1,
                    'is_key', coalesce(array_contains(key_names, field.field), false)
                )
            )
            else transform(
                array_distinct(json_object_keys(coalesce(event.after, event.before))),
                (attribute, index) -> named_struct(
                    'attribute', {{ entrepot.landing_quoted('attribute') }},
                    'data_type', cast(null as string),
                    'position', index + 1,
                    'is_key', coalesce(array_contains(key_names, attribute), false)
                )
            )
        end)[0]
{%- endmacro %}


{#- The type of a field of an embedded schema, as far as landing reads it; what is inside of a record stays JSON. -#}
{% macro landing_field_type() -%}
struct<field string, type string, name string, parameters map<string,string>, items struct<type string, name string, parameters map<string,string>, fields string>, fields string>
{%- endmacro %}


{#- SQL: the fields of an image: those that the embedded schema tells and the image has (one that is absent is not null; of a delete only the key has to be there),
    and what else the image has, because no value is lost with its name. -#}
{% macro landing_told_fields() -%}
transform(
                        array(struct(coalesce(get(filter(
                            from_json(schema_json, 'fields array<struct<field string, fields array<{{ entrepot.landing_field_type() }}>>>').fields,
                            field -> field.field = 'after'
                        ), 0).fields, array()) as told, json_object_keys(coalesce(event.after, event.before)) as names)),
                        image -> concat(if(
                            event.after is null or size(array_except(image.told.field, image.names)) = 0, image.told,
                            filter(image.told, field -> array_contains(image.names, field.field))
                        ), transform(
                            array_except(image.names, image.told.field),
                            name -> named_struct('field', name, 'type', null, 'name', null, 'parameters', null, 'items', null, 'fields', null)
                        ))
                    )[0]
{%- endmacro %}


{#- SQL: fields, each with its path, and behind each record the fields that are inside of it, ten levels deep. -#}
{% macro landing_fields_with_inner(fields) -%}
transform(
                        array(transform({{ fields }}, one -> {{ entrepot.landing_field_at('one', entrepot.landing_quoted('one.field'), 'one.field') }})),
                        columns -> if(
                            exists(columns, one -> one.inside is not null),
                            aggregate(sequence(1, 10), columns, (found, level) -> flatten(transform(found, one -> if(
                                one.inside is null,
                                array(one),
                                concat(
                                    array(struct(one.path, one.field, one.type, one.name, one.parameters, one.items, cast(null as string) as inside)),
                                    transform(
                                        from_json(one.inside, 'array<{{ entrepot.landing_field_type() }}>'),
                                        deeper -> {{ entrepot.landing_field_at('deeper', "concat(one.path, if(one.type = 'array', '[].', '.'), " ~ entrepot.landing_quoted('deeper.field') ~ ')', 'cast(null as string)') }}
                                    )
                                )
                            )))),
                            columns
                        )
                    )[0]
{%- endmacro %}


{#- SQL: a field of an embedded schema with its path, the column's name where it is one, and the JSON of what is inside of it: the fields of a record, or of the
    elements of an array that is in no other. What Debezium makes records of by itself, such as points, is one value. -#}
{% macro landing_field_at(field, path, column) -%}
struct(
                            {{ path }} as path, {{ column }} as field, {{ field }}.type, {{ field }}.name, {{ field }}.parameters, {{ field }}.items,
                            case
                                when coalesce({{ field }}.name, {{ field }}.items.name, '') rlike '^(io[.]debezium|org[.]apache[.]kafka)[.]' then null
                                when {{ field }}.type = 'struct' then {{ field }}.fields
                                when {{ field }}.type = 'array' and {{ field }}.items.type = 'struct' and not contains({{ path }}, '[].') then {{ field }}.items.fields
                            end as inside
                        )
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
