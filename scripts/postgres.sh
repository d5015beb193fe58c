#!/usr/bin/env bash
# Installs a PostgreSQL server from Debian's packages where none is found: scripts/postgres.sh PYTHON
# Where that cannot be done it says so and goes on: the tests that need a server are skipped, with the reason.
set -euo pipefail
python=$1

is_there() { PYTHONPATH=python "$python" -c 'import sys; from recorder.local_postgres import find_binaries; sys.exit(find_binaries() is None)'; }

is_there && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  echo "entrepot: no PostgreSQL server was found, and only root can install one, on Debian. The tests of the recorder are skipped." >&2
  echo "Install a PostgreSQL server, or name the folder of its programs in ENTREPOT_POSTGRES_BIN, and run make again." >&2
  exit 0
fi
echo "No PostgreSQL server on this machine: installing Debian's ..."
export DEBIAN_FRONTEND=noninteractive
# the tests make clusters of their own: the package's would only run beside them
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/entrepot.conf
if ! { apt-get -qq update && apt-get -qq install -y --no-install-recommends postgresql; } > /dev/null || ! is_there; then
  echo "entrepot: PostgreSQL could not be installed; what apt-get said stands above. The tests of the recorder are skipped." >&2
fi
