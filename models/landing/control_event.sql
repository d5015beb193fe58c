-- Grain: one message that changes no row: a tombstone, a transaction boundary, a heartbeat.
{{ config(materialized='incremental', incremental_strategy='land', unique_key='event_id', land_kind='control', full_refresh=false) }}
{{ landing_lines('control') }}
