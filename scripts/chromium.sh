#!/usr/bin/env bash
# Installs Chromium and its driver from Debian's packages where they are missing.
# Where that cannot be done it says so and goes on: the tests of the mapping's page are skipped, with the reason.
set -euo pipefail

is_there() { command -v chromium > /dev/null && command -v chromedriver > /dev/null; }

is_there && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  echo "entrepot: no Chromium with its driver was found, and only root can install them, on Debian. The tests of the mapping's page are skipped." >&2
  echo "Put chromium and chromedriver on the PATH, and run make again." >&2
  exit 0
fi
echo "No Chromium on this machine: installing Debian's ..."
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium chromium-driver fonts-dejavu-core; } > /dev/null || ! is_there; then
  echo "entrepot: Chromium could not be installed; what apt-get said stands above. The tests of the mapping's page are skipped." >&2
fi
