{#- Rule `join` (OD-ETL 3.5.1), for select, where, inner join and, outermost, union all. Per branch of the union and
    occurrence R_j of a changed upstream:
      upsert  ∪_j branch[R_j := Δ⁺_j, others NEW]
      gone    keys of ∪_j branch[R_j := Δ⁻_j, others OLD]
    Reading the others NEW for insertions and OLD for deletions is what keeps the anomaly of Fig. 3.5 out. -#}
{% macro delta_rule_join(settings, upstreams, changed, body, verdict) %}
  {%- set branches = entrepot.delta_union_branches(body) -%}
  {%- set old = {} -%}
  {%- set read = namespace(rows=0) -%}
  {%- for upstream in changed -%}
    {%- do old.update({upstream.relation | string: upstream.consumed}) -%}
    {%- set read.rows = read.rows + upstream.changes.plus + upstream.changes.minus -%}
  {%- endfor -%}
  {%- if changed | length > 2 -%}
    {%- do entrepot.delta_keep_small_inputs(upstreams, changed) -%}
  {%- endif -%}
  {%- set upsert = [] -%}
  {%- set gone = [] -%}
  {%- for branch in branches -%}
    {%- set names = verdict.columns if not loop.first else [] -%}
    {%- for upstream in changed -%}
      {%- if upstream.changes.plus -%}
        {%- do upsert.extend(entrepot.delta_each_occurrence(branch, names, upstreams, {}, upstream, '+')) -%}
      {%- endif -%}
      {%- if upstream.changes.minus -%}
        {%- do gone.extend(entrepot.delta_each_occurrence(branch, names, upstreams, old, upstream, '-')) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set keys = settings.unique_key | join(', ') -%}
  {{ return({
    'rule': 'join',
    'reason': 'changed: ' ~ changed | map(attribute='name') | join(', '),
    'upsert': 'select * from (\n' ~ upsert | join('\n) union select * from (\n') ~ '\n)' if upsert else none,
    'gone': 'select ' ~ keys ~ ' from (\n' ~ gone | join('\n) union select ' ~ keys ~ ' from (\n') ~ '\n)' if gone else none,
    'rows_read': read.rows,
  }) }}
{% endmacro %}


{#- Keeps what several terms of the rule read in memory, where it is small: NEW of every upstream, and OLD where rows
    have gone. -#}
{% macro delta_keep_small_inputs(upstreams, changed) %}
  {%- for upstream in upstreams -%}
    {%- do entrepot.delta_keep_small(upstream.relation, entrepot.jobs_pin(upstream.relation)) -%}
  {%- endfor -%}
  {%- if changed | map(attribute='changes') | selectattr('minus') | list -%}
    {%- for upstream in changed -%}
      {%- do entrepot.delta_keep_small(upstream.relation, upstream.consumed) -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}


{#- A select once per occurrence of an upstream in it, with that occurrence replaced by the upstream's inserted (`sign`
    '+') or deleted ('-') rows and everything else at its version (`versions`, else the pinned one). Branches of a union
    but the first get the first one's column `names`. -#}
{% macro delta_each_occurrence(sql, names, upstreams, versions, upstream, sign) %}
  {%- set occurrences = entrepot.delta_occurrences(sql, upstream.relation) | length // 2 -%}
  {%- set selects = [] -%}
  {%- for occurrence in range(occurrences) -%}
    {%- set one = entrepot.delta_one_of(occurrences, occurrence, entrepot.delta_rows(upstream.changes, sign)) -%}
    {%- set select = entrepot.delta_at(sql, upstreams, versions, {upstream.relation | string: one}) -%}
    {%- do selects.append('select * from (\n' ~ select ~ '\n) as _branch(`' ~ names | join('`, `') ~ '`)' if names else select) -%}
  {%- endfor -%}
  {{ return(selects) }}
{% endmacro %}


{#- A list of `count` times none, with `replacement` at position `occurrence`. -#}
{% macro delta_one_of(count, occurrence, replacement) %}
  {%- set one = [] -%}
  {%- for position in range(count) -%}
    {%- do one.append(replacement if position == occurrence else none) -%}
  {%- endfor -%}
  {{ return(one) }}
{% endmacro %}
