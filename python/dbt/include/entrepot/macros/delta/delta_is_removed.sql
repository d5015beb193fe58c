{#- Whether a version may no longer be there to be read: cleaned out of the log, or with files that a VACUUM has removed. A
    file is kept for a while after the commit that dropped it, the next one at the earliest; `commits` is {version: row of
    `describe history`} from that version on. VACUUM does not log itself everywhere, so past the table's own retention a
    version counts as removed. -#}
{% macro delta_is_removed(commits, version, properties) %}
  {%- if version not in commits or version + 1 not in commits -%}
    {{ return(true) }}
  {%- endif -%}
  {%- set dropped_at = jobs_millis(commits[version + 1].timestamp) -%}
  {%- set retention = delta_seconds(properties.get('delta.deletedfileretentionduration', 'interval 1 week')) -%}
  {%- if (jobs_now() - dropped_at) / 1000 > retention -%}
    {{ return(true) }}
  {%- endif -%}
  {%- for commit in commits.values() if commit.operation == 'VACUUM START' and commit.version | int > version -%}
    {%- set parameters = fromjson(commit.operationParameters, {}) -%}
    {%- set kept = [parameters.get('specifiedRetentionMillis'), parameters.get('defaultRetentionMillis'), retention * 1000] -%}
    {%- if jobs_millis(commit.timestamp) - dropped_at > kept | reject('none') | map('float') | min -%}
      {{ return(true) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{% endmacro %}


{#- The seconds of an interval as Delta's table properties write it, such as `interval 30 days`. -#}
{% macro delta_seconds(interval) %}
  {%- set units = {'week': 604800, 'day': 86400, 'hour': 3600, 'minute': 60, 'second': 1} -%}
  {%- set total = namespace(seconds=0) -%}
  {%- for number, unit in modules.re.findall('([0-9.]+)\\s*(week|day|hour|minute|second)', interval | lower) -%}
    {%- set total.seconds = total.seconds + (number | float) * units[unit] -%}
  {%- endfor -%}
  {{ return(total.seconds) }}
{% endmacro %}


{#- The properties of a Delta table, {name in lower case: value in lower case}; one statement. -#}
{% macro delta_properties_read(relation) %}
  {%- set properties = {} -%}
  {%- for property in jobs_query('show tblproperties ' ~ relation) -%}
    {%- do properties.update({property.key | lower: property.value | string | lower}) -%}
  {%- endfor -%}
  {{ return(properties) }}
{% endmacro %}
