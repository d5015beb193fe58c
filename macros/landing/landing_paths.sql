{#- SQL: a name as a step of a path: in backticks where it would be another path without them, see `entrepot.mapping.paths`. -#}
{% macro landing_quoted(name) -%}
if(contains({{ name }}, '.') or contains({{ name }}, '{}') or startswith({{ name }}, '`') or endswith({{ name }}, '[]'), concat('`', replace({{ name }}, '`', '``'), '`'), {{ name }})
{%- endmacro %}


{#- SQL: whether an attribute is inside of another: a field of the record that it is, or of its elements, or something of the map that it is, or that these are.
    No name has braces that stand in no backticks. -#}
{% macro landing_is_inside(attribute, other) -%}
(
    startswith({{ attribute }}, concat({{ other }}, '.')) or startswith({{ attribute }}, concat({{ other }}, '[].'))
    or startswith({{ attribute }}, concat({{ other }}, '{}')) or startswith({{ attribute }}, concat({{ other }}, '[]{}'))
)
{%- endmacro %}


{#- SQL: whether two relations with `attribute_names` can have the same attributes: each goes as deep into records as the other says, and nothing that has no
    more inside is in one alone, see `same_reach` of `entrepot.mapping.paths`. -#}
{% macro landing_same_reach(left, right) -%}
(
            {{ left }}.attribute_names = {{ right }}.attribute_names
            or {{ entrepot.landing_goes_inside('concat(' ~ left ~ '.attribute_names, ' ~ right ~ '.attribute_names)') }}
            and {{ entrepot.landing_covers(left, right) }}
            and {{ entrepot.landing_covers(right, left) }}
        )
{%- endmacro %}


{#- SQL: whether each leaf of the right one's attributes is among the leaves of the left one, inside of one, or has one inside. -#}
{% macro landing_covers(left, right) -%}
forall(
                {{ entrepot.landing_leaves(right ~ '.attribute_names') }},
                leaf -> exists({{ entrepot.landing_leaves(left ~ '.attribute_names') }}, beside -> leaf = beside or {{ entrepot.landing_is_inside('leaf', 'beside') }} or {{ entrepot.landing_is_inside('beside', 'leaf') }})
            )
{%- endmacro %}


{#- SQL: the attributes that have no other inside of them. -#}
{% macro landing_leaves(names) -%}
filter({{ names }}, whole -> not exists({{ names }}, name -> {{ entrepot.landing_is_inside('name', 'whole') }}))
{%- endmacro %}


{#- SQL: whether two relations with `attribute_names` and `attribute_types` can be one schema version. -#}
{% macro landing_same_version(left, right) -%}
{{ entrepot.landing_same_reach(left, right) }}
        and if(
            {{ left }}.attribute_names = {{ right }}.attribute_names,
            {{ entrepot.landing_same_types(left, right) }},
            not coalesce(exists(
                zip_with({{ left }}.attribute_names, {{ left }}.attribute_types, (name, type) -> type <> get({{ right }}.attribute_types, array_position({{ right }}.attribute_names, name) - 1)),
                differs -> differs
            ), false)
        )
{%- endmacro %}


{#- SQL: whether an attribute may be inside of another: all that are have a dot or braces, and so have a few that are not. -#}
{% macro landing_may_be_inside(attribute) -%}
(contains({{ attribute }}, '.') or contains({{ attribute }}, '{}'))
{%- endmacro %}


{#- SQL: whether one of some attributes may be inside of another. -#}
{% macro landing_goes_inside(names) -%}
exists({{ names }}, name -> {{ entrepot.landing_may_be_inside('name') }})
{%- endmacro %}


{#- SQL: the attributes that are inside of no other: all of them, not to be looked for among one another, where none may be inside of one. -#}
{% macro landing_columns(names) -%}
if(
                {{ entrepot.landing_goes_inside(names) }},
                filter({{ names }}, name -> not exists({{ names }}, whole -> {{ entrepot.landing_is_inside('name', 'whole') }})),
                {{ names }}
            )
{%- endmacro %}
