{#- SQL: the schema versions of a relation of attributes, each with its field list (docs/mapping.md, versions). -#}
{% macro landing_known_versions(attributes) -%}
select
        schema,
        version,
        array_sort(collect_list(attribute)) as attribute_names,
        transform(
            array_sort(collect_list(struct(attribute, {{ entrepot.landing_canonical_type('data_type') }} as data_type))),
            field -> {{ entrepot.landing_travels_as('field.data_type') }}
        ) as attribute_types
    from {{ attributes }}
    group by schema, version
{%- endmacro %}
