{#- A timestamp that a query returned, in milliseconds since 1970, which mean the same in every process: Spark's session hands out local time
    without a zone; a server hands out text, which is taken for UTC, as profiles.yml sets it. -#}
{% macro jobs_millis(value) %}
  {%- if not value -%}
    {{ return(none) }}
  {%- elif value is string -%}
    {%- set seconds, _, fraction = value.partition('.') -%}
    {%- set at = modules.pytz.utc.localize(modules.datetime.datetime.fromisoformat(seconds)) -%}
    {{ return(at.timestamp() | int * 1000 + (fraction ~ '000')[:3] | int) }}
  {%- endif -%}
  {{ return((value.timestamp() * 1000) | round | int) }}
{% endmacro %}


{#- When a version of a relation was committed, in milliseconds, where it is known without asking: of one that was the newest when this job
    began, or that this job has looked up or written. -#}
{% macro jobs_committed_at(relation, version) %}
  {%- set state = jobs_state() -%}
  {%- set key = relation | string -%}
  {%- set contents = state['relations'].get(key, {}) -%}
  {%- if version is none -%}
    {{ return(none) }}
  {%- elif state['heads'].get(key) == version and key not in jobs_rewritten() -%}
    {{ return(state['head_times'].get(key)) }}
  {%- endif -%}
  {{ return(contents.get('committed_at') if contents.get('version') == version else none) }}
{% endmacro %}


{#- {relation: when that version was committed} of consumed versions, {relation: version}: a table that has taken another's name may have
    the same version, but not from the same time. Without those of which it is not known. -#}
{% macro jobs_read_at(reads) %}
  {%- set read_at = {} -%}
  {%- for key, version in reads.items() if jobs_committed_at(key, version) is not none -%}
    {%- do read_at.update({key: jobs_committed_at(key, version)}) -%}
  {%- endfor -%}
  {{ return(read_at) }}
{% endmacro %}


{#- Whether a version was committed later than it was when it was noted down, so that it is another table's, which has taken the name. Both
    may be unknown. -#}
{% macro jobs_is_later(committed_at, noted) %}
  {{ return(committed_at is not none and noted is not none and committed_at > noted) }}
{% endmacro %}
