{#- A select once per occurrence of the `changed` upstreams in it that has rows of `sign` ('+' has come, '-' has gone), with these rows in
    place of the occurrence and, for the other occurrences of changed upstreams, `others`:
      new         NEW, all of them
      old         OLD, all of them
      telescoped  NEW for those before it and OLD for those behind it, in the order of `changed`: no combination of rows is in two terms
    Unchanged upstreams are read at the pinned version. Dicts `sql`, the upstream's `relation`, and `is_last`: under `telescoped` the term
    that reads nothing at OLD. -#}
{% macro delta_terms(sql, upstreams, changed, sign, others) %}
  {%- set occurrences = delta_verdict_occurrences(upstreams, sql) -%}
  {%- set order = [] -%}
  {%- for upstream in changed -%}
    {%- for occurrence in occurrences if occurrence.relation == upstream.relation | string -%}
      {%- do order.append({'number': occurrence.number, 'upstream': upstream}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set terms = [] -%}
  {%- for replaced in order -%}
    {%- if replaced.upstream.changes['plus' if sign == '+' else 'minus'] -%}
      {%- set versions = {} -%}
      {%- for other in {'new': [], 'old': order, 'telescoped': order[loop.index:]}[others] -%}
        {%- do versions.update({other.number: other.upstream.consumed}) -%}
      {%- endfor -%}
      {%- do terms.append({'sql': delta_term(sql, upstreams, occurrences, replaced, sign, versions), 'relation': replaced.upstream.relation | string, 'is_last': loop.last}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(terms) }}
{% endmacro %}


{#- One term: the occurrence `replaced` by its upstream's changed rows, every other one at the version of `versions`, else the pinned one,
    within the bounds that the changed rows set (see `delta_join_bounds`). -#}
{% macro delta_term(sql, upstreams, occurrences, replaced, sign, versions) %}
  {%- set bounds = replaced.upstream.get('bounds', {}).get(replaced.number, {}) -%}
  {%- set places = {} -%}
  {%- for occurrence in occurrences -%}
    {%- set relation = occurrence.upstream.relation -%}
    {%- set place = delta_at_version(relation, versions.get(occurrence.number, jobs_pin(relation))) -%}
    {%- if occurrence.number == replaced.number -%}
      {%- set place = delta_rows(replaced.upstream.changes, sign) -%}
    {%- elif occurrence.number in bounds -%}
      {%- set place = '(select * from ' ~ place ~ ' where ' ~ bounds[occurrence.number] | join(' and ') ~ ')' -%}
    {%- endif -%}
    {%- do places.setdefault(occurrence.relation, []).append(place) -%}
  {%- endfor -%}
  {{ return(delta_at(sql, upstreams, {}, places)) }}
{% endmacro %}


{#- Keeps what several terms read in memory, where it is small: NEW of every upstream, and OLD where terms read it. -#}
{% macro delta_keep_small_inputs(upstreams, changed, reads_old) %}
  {%- for upstream in upstreams -%}
    {%- do delta_keep_small(upstream.relation, jobs_pin(upstream.relation)) -%}
  {%- endfor -%}
  {%- for upstream in changed if reads_old -%}
    {%- do delta_keep_small(upstream.relation, upstream.consumed) -%}
  {%- endfor -%}
{% endmacro %}
