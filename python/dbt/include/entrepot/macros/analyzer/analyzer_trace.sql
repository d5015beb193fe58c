{#- Follows columns through an analyzed plan (see `analyzer_nodes`), from the leaves up. Per node a dict
      out     ids of its columns, in their order
      trace   {id: {occurrence: column}}: to know the node's rows with one value of the column, rows of the occurrence
              with another value of that column are not needed
      types   {id: type}, where it is known
      leaves  the occurrences below it; one in a CTE counts once per mention, as `0/<number of the mention>`
      origin  {id: [occurrence, column]} of columns that are, row by row, an occurrence's own
      keys    lists of ids that tell its rows apart
      is_by_row, grouping  see `analyzer_is_by_row` and `analyzer_grouping`
    `occurrences` are dicts with `columns` {name: type} and `unique_key`. Returns {'nodes': {number:
    result}, 'obstacle': text}, where the obstacle is the first operator that is not known; what is above it has no result. -#}
{% macro analyzer_trace(nodes, occurrences) %}
  {%- set results = {} -%}
  {%- set state = namespace(obstacle=none) -%}
  {%- for number in analyzer_order(nodes) if not state.obstacle -%}
    {%- set node = nodes[number] -%}
    {%- set inputs = [] -%}
    {%- for child in node.children + node.subplans if child in results -%}
      {%- do inputs.append(results[child]) -%}
    {%- endfor -%}
    {%- if inputs | length < (node.children + node.subplans) | length -%}
      {%- set state.obstacle = 'a WITH clause inside a subquery' -%}
    {%- else -%}
      {%- set result = analyzer_operator(node, inputs[:node.children | length], inputs[node.children | length:], nodes, results, occurrences) -%}
      {%- if result is string -%}
        {%- set state.obstacle = result -%}
      {%- else -%}
        {%- do results.update({number: result}) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'nodes': results, 'obstacle': state.obstacle}) }}
{% endmacro %}


{#- The result of one operator (see `analyzer_trace`); a text, the name of what is in the way, where it is not known. -#}
{% macro analyzer_operator(node, inputs, subplans, nodes, results, occurrences) %}
  {%- set kind = node.kind -%}
  {%- if kind in ['Relation', 'LocalRelation', 'OneRowRelation', 'Range', 'LogicalRDD'] -%}
    {%- set result = analyzer_leaf(node) -%}
  {%- elif kind == 'SubqueryAlias' -%}
    {%- set result = analyzer_alias(node, inputs[0], occurrences) -%}
  {%- elif kind in ['Sort', 'ResolvedHint', 'Distinct', 'Filter', 'CTERelationDef'] -%}
    {%- set result = analyzer_copy(inputs[0]) -%}
    {%- if kind == 'Distinct' -%}
      {%- do result.update({'keys': inputs[0]['keys'] + [inputs[0].out]}) -%}
    {%- endif -%}
  {%- elif kind == 'WithCTE' -%}
    {%- set result = analyzer_copy(inputs[-1]) -%}
  {%- elif kind == 'CTERelationRef' -%}
    {%- set result = analyzer_mention(node, nodes, results) -%}
  {%- elif kind == 'Project' -%}
    {%- set result = analyzer_project(analyzer_lists(node.text)[0], inputs[0]) -%}
  {%- elif kind == 'Aggregate' -%}
    {%- set result = analyzer_aggregate(analyzer_lists(node.text), inputs[0]) -%}
  {%- elif kind == 'Window' -%}
    {%- set result = analyzer_window(node, inputs[0]) -%}
  {%- elif kind == 'Generate' -%}
    {%- set result = analyzer_copy(inputs[0]) -%}
    {%- do result.update({'out': inputs[0].out + analyzer_ids(analyzer_lists(node.text)[-1]), 'keys': []}) -%}
  {%- elif kind in ['Union', 'Except', 'Intersect'] -%}
    {%- set result = analyzer_set(kind, inputs) -%}
  {%- elif kind == 'Join' -%}
    {%- set result = analyzer_join(node.text, inputs[0], inputs[1]) -%}
  {%- elif kind == 'LateralJoin' -%}
    {%- set result = analyzer_copy(inputs[0]) -%}
    {%- do result.update({'out': inputs[0].out + subplans[0].out, 'keys': []}) -%}
  {%- else -%}
    {{ return(kind) }}
  {%- endif -%}
  {%- if result is not string -%}
    {%- do analyzer_subplans(node, result, inputs, subplans, nodes, results) -%}
    {%- if kind in ['Filter', 'Join'] -%}
      {%- do analyzer_equalities(node, result) -%}
    {%- endif -%}
    {%- do result.update({'bridges': analyzer_bridges(result)}) -%}
    {%- if kind != 'CTERelationRef' -%}
      {%- do result.update({'is_by_row': analyzer_is_by_row(node, inputs, subplans), 'grouping': analyzer_grouping(node, result, inputs)}) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(result) }}
{% endmacro %}


{#- A result that can be changed without its input. -#}
{% macro analyzer_copy(input) %}
  {{ return({
    'out': input.out, 'trace': dict(input.trace), 'types': dict(input.types), 'leaves': input.leaves, 'keys': input['keys'],
    'origin': dict(input.origin), 'pairs': input.get('pairs', {}),
  }) }}
{% endmacro %}


{#- The ids at the end of items: `a#1`, `f(b#2) AS c#3L`; none where an item has none. -#}
{% macro analyzer_ids(items) %}
  {%- set ids = [] -%}
  {%- for item in items -%}
    {%- set found = modules.re.search('#(\\d+)L?$', item) -%}
    {%- do ids.append(found.group(1) if found else none) -%}
  {%- endfor -%}
  {{ return(ids) }}
{% endmacro %}


{#- The column that an expression is, as a dict `id` and `cast_to`, the integer type that it is cast to (none where it is not); none where
    it is anything else. `outer(…)`, a column of the query around a subquery, counts where `with_outer` says so. -#}
{% macro analyzer_column(expression, with_outer=false) %}
  {%- set found = modules.re.fullmatch(
    '(cast\\()?(outer\\()?\\w+#(\\d+)L?(?(2)\\)|)(?(1) as (tinyint|smallint|int|bigint)\\)|)', expression | trim
  ) -%}
  {%- if not found or (found.group(2) and not with_outer) -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return({'id': found.group(3), 'cast_to': found.group(4)}) }}
{% endmacro %}


{#- The column that an expression is, where equal values of the one are equal values of the other: itself, or an integer cast to a wider
    one (a narrower one would wrap around). -#}
{% macro analyzer_same_column(expression, types, with_outer=false) %}
  {%- set column = analyzer_column(expression, with_outer) -%}
  {%- set integers = ['tinyint', 'smallint', 'int', 'bigint'] -%}
  {%- if column and column.cast_to and types.get(column.id) not in integers[:integers.index(column.cast_to) + 1] -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return(column) }}
{% endmacro %}
