{#- Elements in which the matrix and the balanced set differ: D_P → D_U → M → D_P is the identity (METL 5.3.3). -#}
{% test mapping_round_trip(model, balanced_set) %}
{%- set columns = 'schema, version, entity, entity_version, attribute, entity_attribute' %}
select 'only in the matrix' as side, *
from (select {{ columns }} from {{ model }} except all select {{ columns }} from {{ balanced_set }})
union all
select 'only in the balanced set' as side, *
from (select {{ columns }} from {{ balanced_set }} except all select {{ columns }} from {{ model }})
{% endtest %}
