{#- A join: a side that every row needs keeps its traces, the other one adds its own by the equalities of the condition.
    Of a full join only `coalesce` of the two sides of an equality has a trace (`pairs`). -#}
{% macro analyzer_join(text, left, right) %}
  {%- set type = text.split(',')[0] | trim -%}
  {%- if type not in ['Inner', 'Cross', 'LeftOuter', 'RightOuter', 'FullOuter', 'LeftSemi', 'LeftAnti'] -%}
    {{ return('Join ' ~ type) }}
  {%- endif -%}
  {%- set result = analyzer_copy(left) -%}
  {%- do result.update({'leaves': left.leaves + right.leaves, 'pairs': {}, 'trace': {}, 'origin': {}, 'types': dict(left.types, **right.types)}) -%}
  {%- if type not in ['LeftSemi', 'LeftAnti'] -%}
    {%- do result.update({'out': left.out + right.out, 'keys': []}) -%}
    {%- for one in left['keys'] -%}
      {%- for other in right['keys'] -%}
        {%- do result['keys'].append(one + other) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endif -%}
  {%- for side in analyzer_needed_sides(type, left, right) -%}
    {%- do result.trace.update(side.trace) -%}
    {%- do result.origin.update(side.origin) -%}
  {%- endfor -%}
  {%- set equal = analyzer_equal_columns(text.partition(', ')[2], result.types, left.out, right.out) -%}
  {%- for one, other in equal -%}
    {%- set both = dict(left.trace.get(one, {}), **right.trace.get(other, {})) -%}
    {%- if type in ['LeftOuter', 'LeftSemi', 'LeftAnti'] -%}
      {%- do result.trace.update({one: dict(both, **result.trace.get(one, {}))}) -%}
    {%- elif type == 'RightOuter' -%}
      {%- do result.trace.update({other: dict(both, **result.trace.get(other, {}))}) -%}
    {%- elif type == 'FullOuter' -%}
      {%- do result.pairs.update({one ~ '=' ~ other: both, other ~ '=' ~ one: both}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do analyzer_join_keys(type, equal, left, right, result) -%}
  {{ return(result) }}
{% endmacro %}


{#- The sides of a join that every row of it needs: columns of the others are null, or not there, where a row has no match. -#}
{% macro analyzer_needed_sides(type, left, right) %}
  {{ return(([left] if type not in ['RightOuter', 'FullOuter'] else []) + ([right] if type in ['Inner', 'Cross', 'RightOuter'] else [])) }}
{% endmacro %}


{#- Where every row has at most one match, the keys of one side are keys of the join. -#}
{% macro analyzer_join_keys(type, equal, left, right, result) %}
  {%- set ones = equal | map('first') | list -%}
  {%- set others = equal | map('last') | list -%}
  {%- for key in right['keys'] if type in ['Inner', 'LeftOuter'] and not key | reject('in', others) | list -%}
    {%- do result.update({'keys': result['keys'] + left['keys']}) -%}
  {%- endfor -%}
  {%- for key in left['keys'] if type in ['Inner', 'RightOuter'] and not key | reject('in', ones) | list -%}
    {%- do result.update({'keys': result['keys'] + right['keys']}) -%}
  {%- endfor -%}
{% endmacro %}


{#- The pairs [id of `lefts`, id of `rights`] that a condition sets equal, whatever else it asks for. -#}
{% macro analyzer_equal_columns(condition, types, lefts, rights, with_outer=false) %}
  {%- set pairs = [] -%}
  {%- for conjunct in analyzer_conjuncts(condition) -%}
    {%- set sides = modules.re.fullmatch('\\((.*?) (?:=|<=>) (.*)\\)', conjunct) -%}
    {%- set one = analyzer_same_column(sides.group(1), types, with_outer) if sides else none -%}
    {%- set other = analyzer_same_column(sides.group(2), types, with_outer) if sides else none -%}
    {%- set ids = [one.id, other.id] if one and other else [] -%}
    {%- if ids and ids[0] in lefts and ids[1] in rights -%}
      {%- do pairs.append(ids) -%}
    {%- elif ids and ids[1] in lefts and ids[0] in rights -%}
      {%- do pairs.append(ids | reverse | list) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(pairs) }}
{% endmacro %}


{#- After a filter or an inner join, columns that it sets equal have each other's traces too. -#}
{% macro analyzer_equalities(node, result) %}
  {%- if node.kind == 'Filter' or node.text.split(',')[0] in ['Inner', 'Cross'] -%}
    {%- set condition = node.text if node.kind == 'Filter' else node.text.partition(', ')[2] -%}
    {%- for one, other in analyzer_equal_columns(condition, result.types, result.out, result.out) -%}
      {%- set both = dict(result.trace.get(other, {}), **result.trace.get(one, {})) -%}
      {%- do result.trace.update({one: both, other: dict(both, **result.trace.get(other, {}))}) -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}


{#- Subqueries of an operator: their occurrences are below it; a column of the operator that the subquery's own filters set
    equal to one of theirs, or that is `IN` it, has that one's trace too. -#}
{% macro analyzer_subplans(node, result, inputs, subplans, nodes, results) %}
  {%- set needed = analyzer_needed_sides(node.text.split(',')[0] | trim, inputs[0], inputs[1]) if node.kind == 'Join' else [result] -%}
  {%- set columns = needed | map(attribute='out') | sum(start=[]) -%}
  {%- for subplan in subplans -%}
    {%- do result.update({'leaves': result.leaves + subplan.leaves, 'pairs': {}}) -%}
    {%- set top = node.subplans[loop.index0] -%}
    {%- for number, inner in results.items() if nodes[number].kind == 'Filter' and analyzer_is_below(nodes, number, top) -%}
      {%- set types = dict(result.types, **inner.types) -%}
      {%- for one, other in analyzer_equal_columns(nodes[number].text, types, columns, inner.out, true) -%}
        {%- do result.trace.update({one: dict(inner.trace.get(other, {}), **result.trace.get(one, {}))}) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- for conjunct in analyzer_conjuncts(node.text) if node.kind == 'Filter' and subplans | length == 1 -%}
    {%- set found = modules.re.fullmatch('\\(?(.*) IN \\(list#\\d+ \\[[^\\]]*\\]\\)\\)?', conjunct) -%}
    {%- set column = analyzer_same_column(found.group(1), result.types) if found else none -%}
    {%- if column -%}
      {%- do result.trace.update({column.id: dict(subplans[0].trace.get(subplans[0].out[0], {}), **result.trace.get(column.id, {}))}) -%}
    {%- endif -%}
  {%- endfor -%}
{% endmacro %}


{#- Whether a node is the plan `top` or below it. -#}
{% macro analyzer_is_below(nodes, number, top) %}
  {%- if number < top -%}
    {{ return(false) }}
  {%- endif -%}
  {%- for node in nodes[top + 1:number + 1] if node.depth <= nodes[top].depth -%}
    {{ return(false) }}
  {%- endfor -%}
  {{ return(true) }}
{% endmacro %}


{#- The bridges that a node shows, {`from>to`: [[from, to], {column of `from`: column of `to`}]}: a change of a row of `from`
    concerns only rows that stem from rows of `to` with equal columns. -#}
{% macro analyzer_bridges(result) %}
  {%- set bridges = {} -%}
  {%- for id, origin in result.origin.items() -%}
    {%- for occurrence, column in result.trace.get(id, {}).items() if occurrence != origin[0] -%}
      {%- set bridge = bridges.setdefault(occurrence ~ '>' ~ origin[0], [[occurrence, origin[0]], {}]) -%}
      {%- do bridge[1].setdefault(column, origin[1]) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(bridges) }}
{% endmacro %}
