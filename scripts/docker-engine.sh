#!/usr/bin/env bash
# Makes sure that a Docker engine answers, and does nothing when one does. Otherwise it installs Debian's docker.io and
# starts dockerd by hand, because containers and small virtual machines have no init system that would.
set -euo pipefail

log=${TMPDIR:-/tmp}/changeover-dockerd.log

# Asks the engine itself, with a deadline: there may be an engine without a docker command, or one that hangs.
answers() {
  node -e '
    const host = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";
    const isSocket = host.startsWith("unix://");
    const where = isSocket ? { socketPath: host.slice("unix://".length) } : new URL(host.replace(/^tcp:/, "http:"));
    const request = require("http").get({ ...where, hostname: where.hostname, port: where.port, path: "/_ping", timeout: 3000 });
    request.on("response", ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
    request.on("timeout", () => process.exit(1)).on("error", () => process.exit(1));
  '
}

if answers; then exit 0; fi
if [ -n "${DOCKER_HOST:-}" ]; then
  echo "No Docker engine answers at DOCKER_HOST=$DOCKER_HOST: start it, or unset DOCKER_HOST to start one here." >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "No Docker engine answers, and only root can start one: run this script with sudo, or start Docker yourself." >&2
  exit 1
fi
if ! command -v dockerd >/dev/null; then
  if ! command -v apt-get >/dev/null; then
    echo "There is no dockerd and no apt-get to install it with: install a Docker engine first." >&2
    exit 1
  fi
  echo "Installing Debian's Docker engine …" >&2
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && apt-get install --yes --no-install-recommends docker.io iptables; } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    exit 1
  }
fi
# One that has just been started or told to stop settles soon, one way or the other.
for _ in $(seq 60); do
  pgrep -x dockerd >/dev/null || break
  sleep 0.5
  if answers; then exit 0; fi
done
if pgrep -x dockerd >/dev/null; then
  echo "dockerd runs but does not answer: look at its log, or stop it and run this again." >&2
  exit 1
fi
echo "Starting dockerd (log: $log) …" >&2
# A dockerd that was killed leaves its pid files behind, and the next one would believe them.
rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid
setsid nohup dockerd >"$log" 2>&1 </dev/null &
for _ in $(seq 120); do
  if answers; then exit 0; fi
  sleep 0.5
done
echo "dockerd did not answer within 60 s:" >&2
tail -n 20 "$log" >&2
exit 1
