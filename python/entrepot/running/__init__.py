"""`entrepot run`: the job chain in one warm process, which answers queries meanwhile. What only asks such a process is in `client`."""
