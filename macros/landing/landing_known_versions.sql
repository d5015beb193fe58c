{#- SQL: the schema versions of a relation of attributes, each with its field list as text. -#}
{% macro landing_known_versions(attributes) -%}
select
        schema,
        version,
        array_join(array_sort(collect_list(attribute)), ',') as attribute_names,
        if(
            count(data_type) = count(*),
            array_join(array_sort(collect_list(concat(attribute, ' ', {{ entrepot.landing_canonical_type('data_type') }}))), ','),
            null
        ) as attribute_types
    from {{ attributes }}
    group by schema, version
{%- endmacro %}
