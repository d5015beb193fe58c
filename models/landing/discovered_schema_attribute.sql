-- Grain: one attribute of one schema version that an event has shown before anybody registered it.
{{ config(materialized='incremental', incremental_strategy='land', unique_key=['schema', 'version', 'attribute'], land_kind='version', full_refresh=false) }}
with

shown as (
    select
        schema_name as schema,
        attribute_names,
        attribute_types,
        min_by(attributes, struct(log_commit, log_position, event_id)) as attributes,
        min_by(event_id, struct(log_commit, log_position, event_id)) as first_event_id,
        min(struct(log_commit, log_position, event_id)) as first_position
    from {{ ref('landing_record') }}
    where kind = 'change' and attributes is not null
    group by schema_name, attribute_names, attribute_types
    -- shown with types and without: one version
    qualify attribute_types is not null or count(attribute_types) over (partition by schema_name, attribute_names) = 0
),

registered as (
    {{ landing_known_versions(ref('schema_attribute')) }}
),

{% if is_incremental() %}
discovered as (
    {{ landing_known_versions(this) }}
),
{% endif %}

-- as in schema_version: where both have a number, the seed's field list is the one that counts
known as (
    select * from registered
    {% if is_incremental() %}
    union all
    select discovered.*
    from discovered
    left anti join registered on discovered.schema = registered.schema and discovered.version = registered.version
    {% endif %}
),

new as (
    select shown.*
    from shown
    left anti join known
        on shown.schema = known.schema
        and shown.attribute_names = known.attribute_names
        and {{ landing_same_types('shown', 'known') }}
),

numbered as (
    select
        new.*,
        coalesce(newest.version, 0) + row_number() over (partition by new.schema order by new.first_position) as version
    from new
    left join (
        select
            schema,
            max(version) as version
        from (
            select * from registered
            {% if is_incremental() %}
            union all
            select * from discovered
            {% endif %}
        )
        group by schema
    ) as newest
        on new.schema = newest.schema
)

select
    numbered.schema,
    cast(numbered.version as int) as version,
    field.attribute,
    field.data_type,
    cast(field.position as int) as position,
    field.is_key,
    numbered.first_event_id,
    current_timestamp() as discovered_at
from numbered
lateral view explode(numbered.attributes) as field
