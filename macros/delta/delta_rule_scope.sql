{#- Rule `scope`, for whatever falls apart by key (windows, outer joins, distinct, aggregates, history): the scopes of
    all changed rows are recomputed over the upstreams restricted to them, and replaced as a whole. -#}
{% macro delta_rule_scope(settings, upstreams, changed, body) %}
  {%- set unscoped = changed | rejectattr('name', 'in', settings.scope) | map(attribute='name') | list -%}
  {%- if unscoped -%}
    {{ return(entrepot.delta_rule_full(settings, upstreams, body, unscoped | join(', ') ~ ' changed, which is outside of scope')) }}
  {%- endif -%}
  {%- set always = settings.get('scope_always') -%}
  {%- for upstream in changed if always -%}
    {%- if entrepot.jobs_query('select 1 from ' ~ upstream.changes.view ~ ' where ' ~ always ~ ' limit 1') -%}
      {{ return(entrepot.delta_rule_full(settings, upstreams, body, upstream.name ~ ' has changes that concern every scope')) }}
    {%- endif -%}
  {%- endfor -%}
  {%- set affected = [] -%}
  {%- set read = namespace(rows=0) -%}
  {%- for upstream in changed -%}
    {%- do affected.append('select ' ~ entrepot.delta_columns_as(settings.scope[upstream.name], settings.scope_key) ~ ' from ' ~ upstream.changes.view) -%}
    {%- set read.rows = read.rows + upstream.changes.plus + upstream.changes.minus -%}
  {%- endfor -%}
  {%- set affected = '(select distinct * from (' ~ affected | join(' union all ') ~ '))' -%}
  {%- set restricted = {} -%}
  {%- for upstream in upstreams if upstream.name in settings.scope -%}
    {%- set rows = entrepot.delta_restricted(
      entrepot.delta_at_version(upstream.relation, entrepot.jobs_pin(upstream.relation)), settings.scope[upstream.name], affected, settings.scope_key, always
    ) -%}
    {%- if entrepot.delta_occurrences(body, upstream.relation) | length > 3 -%}
      {%- set view = ['scope', this.schema, this.identifier, loop.index] | join('_') -%}
      {%- do entrepot.jobs_temporary(view, rows) -%}
      {%- set rows = view -%}
    {%- endif -%}
    {%- do restricted.update({upstream.relation | string: [rows]}) -%}
  {%- endfor -%}
  {{ return({
    'rule': 'scope',
    'reason': 'changed: ' ~ changed | map(attribute='name') | join(', '),
    'upsert': entrepot.delta_at(body, upstreams, {}, restricted),
    'gone': 'select ' ~ settings.unique_key | join(', ') ~ ' from ' ~ this ~ ' version as of ' ~ entrepot.jobs_pin(this)
      ~ ' as _row left semi join ' ~ affected ~ ' as _scope on '
      ~ entrepot.delta_keys_equal('_row', settings.scope_key, '_scope', settings.scope_key),
    'rows_read': read.rows,
  }) }}
{% endmacro %}


{#- `a as x, b as y` for two lists of column names of the same length. -#}
{% macro delta_columns_as(columns, names) %}
  {%- set list = [] -%}
  {%- for column in columns -%}
    {%- do list.append(column ~ ' as ' ~ names[loop.index0]) -%}
  {%- endfor -%}
  {{ return(list | join(', ')) }}
{% endmacro %}


{#- `l.a <=> r.x and l.b <=> r.y`: equality of keys in which null equals null. -#}
{% macro delta_keys_equal(left, left_columns, right, right_columns) %}
  {%- set list = [] -%}
  {%- for column in left_columns -%}
    {%- do list.append(left ~ '.' ~ column ~ ' <=> ' ~ right ~ '.' ~ right_columns[loop.index0]) -%}
  {%- endfor -%}
  {{ return(list | join(' and ')) }}
{% endmacro %}


{#- `a.x, a.y`: column names behind an alias. -#}
{% macro delta_qualified(alias, columns) %}
  {%- set list = [] -%}
  {%- for column in columns -%}
    {%- do list.append(alias ~ '.' ~ column) -%}
  {%- endfor -%}
  {{ return(list | join(', ')) }}
{% endmacro %}


{#- A relation's rows whose `columns` are among the affected scopes, and those that concern every scope. -#}
{% macro delta_restricted(rows, columns, affected, scope_key, always) %}
  {%- set on_scope = entrepot.delta_keys_equal('_row', columns, '_scope', scope_key) -%}
  {%- if always -%}
    {{ return('(select _row.* from ' ~ rows ~ ' as _row left join (select *, true as _affected from ' ~ affected ~ ') as _scope on '
      ~ on_scope ~ ' where _scope._affected or ' ~ always ~ ')') }}
  {%- endif -%}
  {{ return('(select _row.* from ' ~ rows ~ ' as _row left semi join ' ~ affected ~ ' as _scope on ' ~ on_scope ~ ')') }}
{% endmacro %}
