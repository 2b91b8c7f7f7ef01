#!/usr/bin/env bash
# Prints where the registry's program is, and installs Debian's where there is none. DOCKER_REGISTRY names another one.
set -euo pipefail

log=${TMPDIR:-/tmp}/changeover-docker-registry.log

if [ -n "${DOCKER_REGISTRY:-}" ]; then
  command -v "$DOCKER_REGISTRY" || {
    echo "There is no $DOCKER_REGISTRY, which DOCKER_REGISTRY names." >&2
    exit 1
  }
  exit 0
fi
if command -v docker-registry; then exit 0; fi
if ! command -v apt-get >/dev/null; then
  echo "There is no docker-registry and no apt-get to install it with: install it, or name one by DOCKER_REGISTRY=…" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "There is no docker-registry, and only root can install it: apt-get install docker-registry, or name one by DOCKER_REGISTRY=…" >&2
  exit 1
fi
echo "Installing Debian's docker-registry …" >&2
export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt-get install --yes --no-install-recommends docker-registry; } >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  exit 1
}
# The package starts a service where there is an init system, on a port of every interface that nobody here asked for.
if command -v systemctl >/dev/null; then systemctl disable --now docker-registry >>"$log" 2>&1 || true; fi
command -v docker-registry
