-- Grain: one line that has arrived and is no message that can be understood, kept with the reason.
{{ config(materialized='incremental', incremental_strategy='land', unique_key='event_id', land_kind='rejected', full_refresh=false) }}
{{ landing_lines('rejected') }}
