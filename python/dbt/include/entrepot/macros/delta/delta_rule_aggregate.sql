{#- Rule `aggregate` (OD-ETL 3.5.1 for joins, with group by above them), for count, sum, min, max and avg of exact types. What has come
    and what has gone is aggregated by the SELECT itself, and added to the stored groups:
      net     Σ_j body[R_<j NEW, Δ⁺_j, R_>j OLD] − body[R_<j NEW, Δ⁻_j, R_>j OLD], per group
      upsert  stored + net; groups of which this cannot be said (a deleted extreme; perhaps the last row) from the upstreams
      gone    keys of the stored rows of all these groups
    Groups get absolute values in the commit that carries the consumed versions, so nothing is ever added twice. -#}
{% macro delta_rule_aggregate(settings, upstreams, changed, body, verdict) %}
  {%- set aggregate = verdict.aggregate -%}
  {%- set terms = delta_aggregate_terms(upstreams, changed, body) -%}
  {%- set net = delta_aggregate_net(settings, aggregate, verdict.columns, terms) -%}
  {%- set plan = {
    'rule': 'aggregate', 'reason': 'changed: ' ~ changed | map(attribute='name') | join(', '), 'rows_read': delta_changed_rows(changed),
  } -%}
  {%- if not delta_aggregate_may_fail(settings, aggregate, changed) -%}
    {{ return(dict(plan, upsert='select `' ~ verdict.columns | join('`, `') ~ '` from (\n' ~ net ~ '\n)', gone=none, replaces=true)) }}
  {%- endif -%}
  {%- set view = jobs_temporary_name('aggregate', this) -%}
  {%- do jobs_temporary(view, net) -%}
  {%- set again = (jobs_query("select count_if(_fate = 'again') as groups from " ~ view) | first).groups | int -%}
  {%- set upsert = ['select `' ~ verdict.columns | join('`, `') ~ '` from ' ~ view ~ " where _fate = 'kept'"] -%}
  {%- if again -%}
    {%- do upsert.append(delta_aggregate_again(settings, upstreams, body, verdict, view)) -%}
    {%- do plan.update({'reason': plan.reason ~ '; groups from the upstreams: ' ~ again}) -%}
  {%- endif -%}
  {{ return(dict(plan, upsert=upsert | join('\nunion all\n'), gone='select _stored.* from ' ~ view ~ ' where _stored is not null')) }}
{% endmacro %}


{#- SQL of the groups of `view` that only the upstreams can tell, computed over the upstreams restricted to them. -#}
{% macro delta_aggregate_again(settings, upstreams, body, verdict, view) %}
  {%- set groups = verdict.aggregate.groups -%}
  {%- if not groups -%}
    {{ return('select * from (\n' ~ delta_at(body, upstreams) ~ '\n)') }}
  {%- endif -%}
  {%- set affected = '(select ' ~ groups | join(', ') ~ ' from ' ~ view ~ " where _fate = 'again')" -%}
  {%- set restricted = delta_scope_restricted(settings, upstreams, verdict, groups, affected) -%}
  {{ return('select _row.* from (\n' ~ delta_at(body, upstreams, {}, restricted) ~ '\n) as _row left semi join ' ~ affected
    ~ ' as _scope on ' ~ adapter.sql_keys_equal('_row', groups, '_scope', groups)) }}
{% endmacro %}


{#- SQL of the signed telescoping sum (see `delta_terms`). `_sign` is 1 or -1; `_sure` whether the rows behind it are all rows of NEW: those
    of the last occurrence are, and all are where nothing has gone. -#}
{% macro delta_aggregate_terms(upstreams, changed, body) %}
  {%- set added = not changed | selectattr('changes.minus') | list -%}
  {%- set in_order = changed | sort(attribute='changes.plus') -%}
  {%- if changed | length > 1 -%}
    {%- do delta_keep_small_inputs(upstreams, changed, true) -%}
  {%- endif -%}
  {%- set terms = [] -%}
  {%- for sign in ['+', '-'] -%}
    {%- for term in delta_terms(body, upstreams, in_order, sign, 'telescoped') -%}
      {%- set is_sure = sign == '+' and (added or term.is_last) -%}
      {%- do terms.append('select *, ' ~ sign ~ '1 as _sign, ' ~ is_sure ~ ' as _sure from (\n' ~ term.sql ~ '\n)') -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(terms | join('\nunion all\n')) }}
{% endmacro %}


{#- SQL of the touched groups with the model's columns as they are now, and
      _fate    `kept`; `ended` where no row is left; `again` where only the upstreams can say
      _stored  the unique key of the stored row, a struct; null where there is none -#}
{% macro delta_aggregate_net(settings, aggregate, columns, terms) %}
  {%- set sums = [] -%}
  {%- set values = [] -%}
  {%- set known = [] -%}
  {%- for column in columns -%}
    {%- if column in aggregate.groups -%}
      {%- do values.append('_net.`' ~ column ~ '`') -%}
    {%- else -%}
      {%- set measure = delta_aggregate_measure(column, aggregate.measures) -%}
      {%- do sums.extend(measure.sums) -%}
      {%- do values.append('cast(' ~ measure.value ~ ' as ' ~ aggregate.measures[column].type ~ ') as `' ~ column ~ '`') -%}
      {%- do known.extend(measure.known) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set count = delta_count_of(aggregate.measures, '1') -%}
  {%- set rows = delta_aggregate_count(count) if count else none -%}
select
  {{ values | join(',\n  ') }},
  case
    {%- if rows and not aggregate.is_whole %}
    when {{ rows }} = 0 then 'ended'
    {%- endif %}
    when {{ 'true' if aggregate.is_whole else rows ~ ' > 0' if rows else '_net._sure' }}
    {%- for condition in known %}
      and ({{ condition }})
    {%- endfor %} then 'kept'
    else 'again'
  end as _fate,
  if(_stored._is_stored, named_struct({% for key in settings.unique_key %}'{{ key }}', _stored.{{ key }}{{ ', ' if not loop.last }}{% endfor %}), null) as _stored
from (
  select
    {{ (aggregate.groups + sums + ['bool_or(_sure) as _sure']) | join(',\n    ') }}
  from (
{{ terms }}
  )
  {%- if aggregate.groups %}
  group by {{ aggregate.groups | join(', ') }}
  {%- endif %}
) as _net
left join (select *, true as _is_stored from {{ this }} version as of {{ jobs_pin(this) }}) as _stored
  on {{ adapter.sql_keys_equal('_net', aggregate.groups, '_stored', aggregate.groups) or 'true' }}
{% endmacro %}


{#- Whether any group may have to be worked out from the upstreams, or may lose its row: not where rows only come, unless an average of
    integers may pass what a double holds, or rows are told apart by something else than the groups. -#}
{% macro delta_aggregate_may_fail(settings, aggregate, changed) %}
  {%- set is_rounded = aggregate.measures.values() | selectattr('function', 'equalto', 'avg') | selectattr('type', 'equalto', 'double') | list -%}
  {%- set other_keys = settings.unique_key | map('lower') | reject('in', aggregate.groups | map('lower') | list) | list -%}
  {{ return(changed | selectattr('changes.minus') | list or is_rounded or other_keys) }}
{% endmacro %}
