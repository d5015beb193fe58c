{#- Rule `join` (OD-ETL 3.5.1), for select, where, inner join and union all. Per occurrence R_j of a changed upstream:
      upsert  ∪_j body[R_j := Δ⁺_j, others NEW]
      gone    keys of ∪_j body[R_j := Δ⁻_j, others OLD]
    Reading the others NEW for insertions and OLD for deletions is what keeps the anomaly of Fig. 3.5 out. -#}
{% macro delta_rule_join(settings, upstreams, changed, body) %}
  {%- set old = {} -%}
  {%- set read = namespace(rows=0) -%}
  {%- set names = [] -%}
  {%- for upstream in changed -%}
    {%- do old.update({upstream.relation | string: upstream.consumed}) -%}
    {%- do names.append(upstream.name) -%}
    {%- set read.rows = read.rows + upstream.changes.plus + upstream.changes.minus -%}
  {%- endfor -%}
  {%- set upsert = [] -%}
  {%- set gone = [] -%}
  {%- for upstream in changed -%}
    {%- set key = upstream.relation | string -%}
    {%- set occurrences = delta_occurrences(body, upstream.relation) | length // 2 -%}
    {%- for occurrence in range(occurrences) -%}
      {%- if upstream.changes.plus -%}
        {%- set one = delta_one_of(occurrences, occurrence, delta_rows(upstream.changes, '+')) -%}
        {%- do upsert.append(delta_at(body, upstreams, {}, {key: one})) -%}
      {%- endif -%}
      {%- if upstream.changes.minus -%}
        {%- set one = delta_one_of(occurrences, occurrence, delta_rows(upstream.changes, '-')) -%}
        {%- do gone.append(delta_at(body, upstreams, old, {key: one})) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set keys = settings.unique_key | join(', ') -%}
  {{ return({
    'rule': 'join',
    'reason': 'changed: ' ~ names | join(', '),
    'upsert': 'select * from (\n' ~ upsert | join('\n) union select * from (\n') ~ '\n)' if upsert else none,
    'gone': 'select ' ~ keys ~ ' from (\n' ~ gone | join('\n) union select ' ~ keys ~ ' from (\n') ~ '\n)' if gone else none,
    'rows_read': read.rows,
  }) }}
{% endmacro %}


{#- A list of `count` times none, with `replacement` at position `occurrence`. -#}
{% macro delta_one_of(count, occurrence, replacement) %}
  {%- set one = [] -%}
  {%- for position in range(count) -%}
    {%- do one.append(replacement if position == occurrence else none) -%}
  {%- endfor -%}
  {{ return(one) }}
{% endmacro %}
