#!/usr/bin/env bash
# Prints where the registry's program is, and installs Debian's where there is none. DOCKER_REGISTRY names another one.
set -euo pipefail
. "$(dirname "$0")/debian-program.sh"

was_there=$(command -v docker-registry || true)
debian_program DOCKER_REGISTRY docker-registry docker-registry
# The package starts a service where there is an init system, on a port of every interface that nobody here asked for.
if [ -z "$was_there" ] && [ -z "${DOCKER_REGISTRY:-}" ] && command -v systemctl >/dev/null; then
  systemctl disable --now docker-registry >/dev/null 2>&1 || true
fi
