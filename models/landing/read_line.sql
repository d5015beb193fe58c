-- Grain: one line of a file that is not blank, its key and value as texts of JSON.
{{ landing_read_messages(ref('raw_line'), []) }}
