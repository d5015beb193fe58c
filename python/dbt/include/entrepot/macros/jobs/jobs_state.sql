{#- The run state of this invocation: one mutable dict kept in dbt's `graph`, which lives exactly as long. -#}
{% macro jobs_state() %}
  {%- if graph.get('entrepot', {}).get('job') != invocation_id -%}
    {%- do graph.update({'entrepot': {
      'job': invocation_id,
      'heads': {},
      'head_times': {},
      'sources': {},
      'ledger': {},
      'relations': {},
      'source_sizes': {},
      'views': {},
      'readers': {},
      'changes': {},
      'temporary': {},
      'kept': {},
      'runs': [],
    }}) -%}
  {%- endif -%}
  {{ return(graph['entrepot']) }}
{% endmacro %}
