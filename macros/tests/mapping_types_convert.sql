{#- Elements of which Spark converts no value from the source's type to the entity's. `schema_tree` and `entity_tree` only say that they come first. -#}
{% test mapping_types_convert(model, schema_tree, entity_tree) %}
{{ entrepot.mapping_conversions_sql(model, 'none') }}
{% endtest %}


{#- Elements whose entity attribute does not take every value of the source's type: a note, no error. -#}
{% test mapping_types_fit(model, schema_tree, entity_tree) %}
{{ config(severity='warn') }}
{{ entrepot.mapping_conversions_sql(model, 'narrowing') }}
{% endtest %}


{#- SQL: the elements of D_P of one conversion (`conversion_of` in `python/entrepot/mapping/conversions.py`), by the mapping as it stands in this job. -#}
{% macro mapping_conversions_sql(model, conversion) %}
  {%- set found = adapter.mapping_conversions(entrepot.mapping_read(), conversion) if execute else [] -%}
  {%- set columns = ['schema', 'version', 'entity', 'entity_version', 'attribute', 'entity_attribute', 'problem', 'instead'] -%}
select 'unique_block' as seed, element.*{{ ', told.problem, told.instead' if found else ", '' as problem, '' as instead" }}
from (select * from {{ model }}) as element
{%- if found %}
inner join (
  select inline(array(
    {%- for row in found %}
    struct({% for value in row %}{{ adapter.sql_literal(value) }} as {{ columns[loop.index0] }}{{ ', ' if not loop.last }}{% endfor %}){{ ',' if not loop.last }}
    {%- endfor %}
  ))
) as told on {% for column in columns[:6] %}element.{{ column }} = told.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
{%- else %}
where false
{%- endif %}
{% endmacro %}
