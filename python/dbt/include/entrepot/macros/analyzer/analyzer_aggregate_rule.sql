{#- What rule `aggregate` needs to know, as a dict; none where it is not right
      groups    columns of the result that it groups by, and literals
      is_whole  whether there is no group by, so that there is always one row
      measures  {column: {function, of, type}} of the other columns (see `analyzer_measure`); an `avg` names with `sum` and `count`
                the columns that it is worked out from
    The SELECT has to be one aggregate over rows that come each from one row of every occurrence, and nothing but renaming above. -#}
{% macro analyzer_aggregate_rule(header, root) %}
  {%- set columns = analyzer_header(header) -%}
  {%- set grouping = root.grouping -%}
  {%- if not grouping or columns | length != root.out | length -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set groups = [] -%}
  {%- set measures = {} -%}
  {%- for name, type in columns -%}
    {%- set id = root.out[loop.index0] -%}
    {%- if not modules.re.fullmatch('\\w+', name) or name in groups or name in measures -%}
      {{ return(none) }}
    {%- elif id in grouping.groups or id in grouping.literals -%}
      {%- do groups.append(name) -%}
    {%- elif id in grouping.measures -%}
      {%- do measures.update({name: dict(grouping.measures[id], type=type)}) -%}
    {%- else -%}
      {{ return(none) }}
    {%- endif -%}
  {%- endfor -%}
  {%- if not measures or grouping.groups | reject('in', root.out) | list -%}
    {{ return(none) }}
  {%- endif -%}
  {%- for measure in measures.values() -%}
    {%- if measure.function == 'avg' -%}
      {%- do measure.update({'sum': analyzer_measure_of(measures, ['sum', 'sum_or_zero'], measure.of), 'count': analyzer_measure_of(measures, ['count'], measure.of)}) -%}
    {%- endif -%}
    {%- if not analyzer_is_exact(measure, measures) -%}
      {{ return(none) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'groups': groups, 'is_whole': not grouping.groups, 'measures': measures}) }}
{% endmacro %}


{#- The column that has one of `functions` of the same expression; none where there is none. -#}
{% macro analyzer_measure_of(measures, functions, of) %}
  {%- for name, measure in measures.items() if measure.function in functions and measure.of == of -%}
    {{ return(name) }}
  {%- endfor -%}
  {{ return(none) }}
{% endmacro %}


{#- Whether a measure can be kept up to the last digit: sums of integers, and of decimals that have digits to spare (Spark gives a
    sum ten more than its values, up to 38); averages beside sum and count of the same, where their quotient has digits enough to be
    rounded like Spark's; extremes of types that compare. Sums of floats depend on the order of their values. -#}
{% macro analyzer_is_exact(measure, measures) %}
  {%- set decimal = modules.re.fullmatch('decimal\\((\\d+),(\\d+)\\)', measures[measure.sum].type if measure.get('sum') else measure.type) -%}
  {%- set spare = 38 - decimal.group(1) | int if decimal else 0 -%}
  {%- if measure.function in ['count', 'count_if'] -%}
    {{ return(true) }}
  {%- elif measure.function in ['sum', 'sum_or_zero'] -%}
    {{ return(measure.type == 'bigint' or spare > 0) }}
  {%- elif measure.function == 'avg' -%}
    {%- set is_exact = spare - 4 >= 9 if decimal else measure.type == 'double' and measures.get(measure.sum, {}).get('type') == 'bigint' -%}
    {{ return(measure.sum is not none and measure.count is not none and is_exact) }}
  {%- endif -%}
  {{ return(modules.re.fullmatch('tinyint|smallint|int|bigint|float|double|decimal\\(\\d+,\\d+\\)|string|date|timestamp|timestamp_ntz|boolean', measure.type) is not none) }}
{% endmacro %}


{#- Whether every row of an operator comes from one row of each of its inputs, so that changes of an occurrence can take its place. -#}
{% macro analyzer_is_by_row(node, inputs, subplans) %}
  {%- if subplans or inputs | rejectattr('is_by_row') | list and node.kind != 'WithCTE' -%}
    {{ return(false) }}
  {%- elif node.kind == 'Join' -%}
    {{ return(node.text.split(',')[0] in ['Inner', 'Cross']) }}
  {%- elif node.kind == 'WithCTE' -%}
    {{ return(inputs[-1].is_by_row) }}
  {%- endif -%}
  {{ return(node.kind in [
    'Relation', 'LocalRelation', 'OneRowRelation', 'Range', 'SubqueryAlias', 'Project', 'Filter', 'Generate', 'Sort', 'ResolvedHint', 'CTERelationDef',
  ]) }}
{% endmacro %}


{#- The grouping that an operator's rows are, {groups: [ids], literals: [ids], measures: {id: measure}}: an aggregate's own, and what
    only renames its columns has it too; none for anything else. -#}
{% macro analyzer_grouping(node, result, inputs) %}
  {%- if node.kind == 'Aggregate' -%}
    {{ return(analyzer_grouping_of(analyzer_lists(node.text), result.out) if inputs[0].is_by_row and not node.subplans else none) }}
  {%- elif node.kind in ['SubqueryAlias', 'Sort', 'ResolvedHint', 'CTERelationDef', 'WithCTE'] -%}
    {{ return(inputs[-1].grouping) }}
  {%- elif node.kind == 'Project' and inputs[0].grouping -%}
    {%- set names = {} -%}
    {%- for item in analyzer_lists(node.text)[0] -%}
      {%- set column = analyzer_column(item.rsplit(' AS ', 1)[0]) -%}
      {%- if not column or column.cast_to -%}
        {{ return(none) }}
      {%- endif -%}
      {%- do names.setdefault(column.id, result.out[loop.index0]) -%}
    {%- endfor -%}
    {{ return(analyzer_grouping_renamed(inputs[0].grouping, names)) }}
  {%- endif -%}
  {{ return(none) }}
{% endmacro %}


{#- The grouping of an aggregate with the lists [what it groups by, its columns]; none where it has another column. -#}
{% macro analyzer_grouping_of(lists, out) %}
  {%- set grouping = {'groups': [], 'literals': [], 'measures': {}} -%}
  {%- set groups = lists[0] if lists | length > 1 else [] -%}
  {%- set shown = [] -%}
  {%- for item in lists[-1] -%}
    {%- set expression = item.rsplit(' AS ', 1)[0] -%}
    {%- set measure = analyzer_measure(expression) -%}
    {%- if expression in groups -%}
      {%- do grouping.groups.append(out[loop.index0]) -%}
      {%- do shown.append(expression) -%}
    {%- elif measure -%}
      {%- do grouping.measures.update({out[loop.index0]: measure}) -%}
    {%- elif '(' not in expression and '#' not in expression and ' AS ' in item -%}
      {%- do grouping.literals.append(out[loop.index0]) -%}
    {%- else -%}
      {{ return(none) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(none if groups | reject('in', shown) | list else grouping) }}
{% endmacro %}


{#- A grouping under other ids, {old: new}; a group column that has none loses it. -#}
{% macro analyzer_grouping_renamed(grouping, names) %}
  {%- set renamed = {'groups': [], 'literals': [], 'measures': {}} -%}
  {%- for id in grouping.groups -%}
    {%- if id not in names -%}
      {{ return(none) }}
    {%- endif -%}
    {%- do renamed.groups.append(names[id]) -%}
  {%- endfor -%}
  {%- for id in grouping.literals if id in names -%}
    {%- do renamed.literals.append(names[id]) -%}
  {%- endfor -%}
  {%- for id, measure in grouping.measures.items() if id in names -%}
    {%- do renamed.measures.update({names[id]: measure}) -%}
  {%- endfor -%}
  {{ return(renamed) }}
{% endmacro %}


{#- What an aggregated column is, a dict `function` (count, count_if, sum, sum_or_zero, min, max, avg) and `of`, the text of its
    argument and filter; none where it is anything else. `sum_or_zero` is `coalesce(sum(…), 0)`. -#}
{% macro analyzer_measure(expression) %}
  {%- set zero = modules.re.fullmatch('coalesce\\((sum\\(.*), (?:cast\\()*0(?:\\.0+)?(?: as [\\w(),]+\\))*\\)', expression) -%}
  {%- set name, _, rest = (zero.group(1) if zero else expression).partition('(') -%}
  {%- if name not in ['count', 'count_if', 'sum', 'min', 'max', 'avg'] or rest.startswith('distinct ') -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set walk = namespace(depth=1, argument='', rest='') -%}
  {%- for token in modules.re.split('([()])', rest) -%}
    {%- if walk.depth == 0 -%}
      {%- set walk.rest = walk.rest ~ token -%}
    {%- else -%}
      {%- set walk.depth = walk.depth + (1 if token == '(' else -1 if token == ')' else 0) -%}
      {%- set walk.argument = walk.argument ~ (token if walk.depth else '') -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if walk.depth or not modules.re.fullmatch('(?: FILTER \\(WHERE .*\\))?', walk.rest) -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return({'function': 'sum_or_zero' if zero else name, 'of': walk.argument ~ walk.rest}) }}
{% endmacro %}
