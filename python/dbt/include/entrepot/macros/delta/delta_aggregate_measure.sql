{#- How rule `aggregate` keeps a column up, as a dict
      sums   SQL of its columns of the net change, over the terms with `_sign` and `_sure` (see `delta_aggregate_terms`)
      value  SQL of its new value, over `_net` and `_stored`
      known  conditions under which the value is right -#}
{% macro delta_aggregate_measure(column, measures) %}
  {%- set measure = measures[column] -%}
  {%- if measure.function in ['count', 'count_if'] -%}
    {{ return({'sums': ['sum(_sign * `' ~ column ~ '`) as `' ~ column ~ '`'], 'value': delta_aggregate_count(column), 'known': []}) }}
  {%- elif measure.function == 'avg' -%}
    {{ return(delta_aggregate_avg(measure, measures)) }}
  {%- elif measure.function in ['min', 'max'] -%}
    {{ return(delta_aggregate_extreme(column, measure.function)) }}
  {%- endif -%}
  {{ return(delta_aggregate_sum(column, measure, delta_count_of(measures, measure.of))) }}
{% endmacro %}


{#- SQL of a count after the change. -#}
{% macro delta_aggregate_count(column) %}
  {{ return('coalesce(_stored.`' ~ column ~ '`, 0) + _net.`' ~ column ~ '`') }}
{% endmacro %}


{#- SQL of a sum after the change, where it has values; exact, and wider than any of its type. -#}
{% macro delta_aggregate_total(column, type) %}
  {%- set wide = delta_aggregate_wide(type) -%}
  {{ return('coalesce(cast(_stored.`' ~ column ~ '` as ' ~ wide ~ '), 0) + coalesce(_net.`' ~ column ~ '`, 0)') }}
{% endmacro %}


{#- The widest type of a sum's values. -#}
{% macro delta_aggregate_wide(type) %}
  {{ return('decimal(38,0)' if type == 'bigint' else 'decimal(38,' ~ type.split(',')[1]) }}
{% endmacro %}


{#- A sum: null where no value is left, which a count of the same says, or else a row that is sure to be there; a value that its
    type cannot hold is an error. -#}
{% macro delta_aggregate_sum(column, measure, count) %}
  {%- set wide = delta_aggregate_wide(measure.type) -%}
  {%- set name = '`' ~ column ~ '`' -%}
  {%- set sums = ['sum(if(_sign > 0, cast(' ~ name ~ ' as ' ~ wide ~ '), -cast(' ~ name ~ ' as ' ~ wide ~ '))) as ' ~ name] -%}
  {%- set total = 'try_cast(' ~ delta_aggregate_total(column, measure.type) ~ ' as ' ~ measure.type ~ ')' -%}
  {%- set message = adapter.sql_literal('Model ' ~ model.name ~ ': the sum ' ~ column ~ ' is beyond ' ~ measure.type
    ~ '. Sum a wider type, for example: sum(cast(… as decimal(28, 2))). See docs/delta-rules.md.') -%}
  {%- set total = 'if(' ~ total ~ ' is null, raise_error(' ~ message ~ '), ' ~ total ~ ')' -%}
  {%- if measure.function == 'sum_or_zero' -%}
    {{ return({'sums': sums, 'value': total, 'known': []}) }}
  {%- elif count -%}
    {{ return({'sums': sums, 'value': 'if(' ~ delta_aggregate_count(count) ~ ' = 0, null, ' ~ total ~ ')', 'known': []}) }}
  {%- endif -%}
  {%- do sums.append('bool_or(_sure and ' ~ name ~ ' is not null) as `_some_' ~ column ~ '`') -%}
  {%- do sums.append('bool_or(_sign < 0 and ' ~ name ~ ' is not null) as `_less_' ~ column ~ '`') -%}
  {{ return({
    'sums': sums,
    'value': 'if(_net.' ~ name ~ ' is null, _stored.' ~ name ~ ', ' ~ total ~ ')',
    'known': ['_net.' ~ name ~ ' is null or _net.`_some_' ~ column ~ '` or _stored.' ~ name ~ ' is not null and not _net.`_less_' ~ column ~ '`'],
  }) }}
{% endmacro %}


{#- A minimum or maximum: the better one of the stored and what has come; not known where a row with that value has gone, unless one
    that is sure to be there has it too. -#}
{% macro delta_aggregate_extreme(column, function) %}
  {%- set name = '`' ~ column ~ '`' -%}
  {%- set value = ('least' if function == 'min' else 'greatest') ~ '(_stored.' ~ name ~ ', _net.' ~ name ~ ')' -%}
  {%- set gone = '_net.`_gone_' ~ column ~ '`' -%}
  {{ return({
    'sums': [
      function ~ '(if(_sign > 0, ' ~ name ~ ', null)) as ' ~ name,
      function ~ '(if(_sure, ' ~ name ~ ', null)) as `_sure_' ~ column ~ '`',
      function ~ '(if(_sign < 0, ' ~ name ~ ', null)) as `_gone_' ~ column ~ '`',
    ],
    'value': value,
    'known': [gone ~ ' is null or ' ~ gone ~ (' > ' if function == 'min' else ' < ') ~ value ~ ' or _net.`_sure_' ~ column ~ '` = ' ~ value],
  }) }}
{% endmacro %}


{#- An average, from sum and count of the same. Spark adds integers up as doubles, which is exact up to 2^53. -#}
{% macro delta_aggregate_avg(measure, measures) %}
  {%- set total = delta_aggregate_total(measure.sum, measures[measure.sum].type) -%}
  {%- set count = delta_aggregate_count(measure.count) -%}
  {%- if measure.type == 'double' -%}
    {{ return({
      'sums': [],
      'value': 'if(' ~ count ~ ' = 0, null, cast(' ~ total ~ ' as double) / (' ~ count ~ '))',
      'known': ['abs(' ~ total ~ ') <= 9007199254740992'],
    }) }}
  {%- endif -%}
  {%- set total = 'cast(' ~ total ~ ' as ' ~ measures[measure.sum].type ~ ')' -%}
  {{ return({'sums': [], 'value': 'if(' ~ count ~ ' = 0, null, ' ~ total ~ ' / (' ~ count ~ '))', 'known': []}) }}
{% endmacro %}


{#- The column that counts the same expression; none where there is none. -#}
{% macro delta_count_of(measures, of) %}
  {%- for name, measure in measures.items() if measure.function == 'count' and measure.of == of -%}
    {{ return(name) }}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}
