"""One story of a small table, as a real Debezium sent it in four forms at once: `README.md`."""
