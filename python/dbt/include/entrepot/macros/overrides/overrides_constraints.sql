{#- The constraints of a node's contract that Delta can enforce, as {name: SQL condition}: `not_null` and `check`, of
    columns and of the model. Empty without an enforced contract. -#}
{% macro overrides_constraints(node) %}
  {%- set found = {} -%}
  {%- if node and node.get('config', {}).get('contract', {}).get('enforced') and node.config.get('file_format', 'delta') == 'delta' -%}
    {%- for column in node.columns.values() -%}
      {%- for constraint in column.get('constraints') or [] -%}
        {%- do found.update(_overrides_constraint(constraint, [column.name], column.name)) -%}
      {%- endfor -%}
    {%- endfor -%}
    {%- for constraint in node.get('constraints') or [] -%}
      {%- do found.update(_overrides_constraint(constraint, constraint.get('columns') or [], node.name)) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(found) }}
{% endmacro %}


{#- {name: condition} of one constraint of a contract: one per column for `not_null`, none for what Delta does not know. -#}
{% macro _overrides_constraint(constraint, columns, owner) %}
  {%- set found = {} -%}
  {%- if constraint.type == 'not_null' -%}
    {%- for column in columns -%}
      {%- set name = constraint.get('name') if constraint.get('name') and columns | length == 1 else column ~ '_not_null' -%}
      {%- do found.update({_overrides_constraint_name(name): adapter.quote(column) ~ ' is not null'}) -%}
    {%- endfor -%}
  {%- elif constraint.type == 'check' and constraint.get('expression') -%}
    {%- set name = constraint.get('name') or owner ~ '_check_' ~ local_md5(constraint.expression)[:8] -%}
    {%- do found.update({_overrides_constraint_name(name): constraint.expression | trim}) -%}
  {%- endif -%}
  {{ return(found) }}
{% endmacro %}


{#- A name that Delta takes without quotes, in the spelling in which it gives it back. -#}
{% macro _overrides_constraint_name(name) %}
  {{ return(modules.re.sub('\\W', '_', name | lower)) }}
{% endmacro %}


{#- Brings the constraints of a stored table in line with the contract: adds what is missing, replaces what reads
    differently, and leaves alone what somebody else has added. Nothing is to be done for a table that was made by
    `create_table_as`, which brings its constraints along (see `entrepot__tblproperties_clause`). -#}
{% macro entrepot__persist_constraints(relation, model) %}
  {%- set wanted = overrides_constraints(model) -%}
  {%- do _overrides_constraints_warn(model) -%}
  {%- if wanted -%}
    {%- set stored = {} -%}
    {%- for row in jobs_query("show tblproperties " ~ relation) if row.key.startswith('delta.constraints.') -%}
      {%- do stored.update({row.key[18:]: row.value}) -%}
    {%- endfor -%}
    {%- for name, expression in wanted.items() if stored.get(name, '').split() | join != expression.split() | join -%}
      {%- if name in stored -%}
        {%- do jobs_query("alter table " ~ relation ~ " drop constraint " ~ adapter.quote(name)) -%}
      {%- endif -%}
      {%- do jobs_query("alter table " ~ relation ~ " add constraint " ~ adapter.quote(name) ~ " check (" ~ expression ~ ")") -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}


{#- Warns of constraints that nothing enforces, unless they say `warn_unenforced: false`. -#}
{% macro _overrides_constraints_warn(node) %}
  {%- set constraints = (node.get('constraints') or []) | list -%}
  {%- for column in node.columns.values() -%}
    {%- do constraints.extend(column.get('constraints') or []) -%}
  {%- endfor -%}
  {%- set ignored = constraints | rejectattr('type', 'in', ['not_null', 'check']) | rejectattr('warn_unenforced', 'false')
    | map(attribute='type') | list -%}
  {%- if ignored and config.get('contract').enforced -%}
    {%- do exceptions.warn(
      "Model " ~ node.name ~ " has constraints that Delta does not enforce: " ~ ignored | unique | join(', ')
      ~ ". Test them (`unique`, `relationships`), or say so: warn_unenforced: false."
    ) -%}
  {%- endif -%}
{% endmacro %}
