-- Grain: one line of one file that has arrived (var landing_path).
{{ landing_read_lines() }}
