#!/usr/bin/env bash
# Prints where Chromium is, and installs Debian's where there is none. CHROMIUM names another one.
set -euo pipefail

log=${TMPDIR:-/tmp}/changeover-chromium.log

if [ -n "${CHROMIUM:-}" ]; then
  command -v "$CHROMIUM" || {
    echo "There is no $CHROMIUM, which CHROMIUM names." >&2
    exit 1
  }
  exit 0
fi
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name"; then exit 0; fi
done
if ! command -v apt-get >/dev/null; then
  echo "There is no Chromium and no apt-get to install it with: install it, or name it by CHROMIUM=…" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "There is no Chromium, and only root can install it: apt-get install chromium, or name one by CHROMIUM=…" >&2
  exit 1
fi
echo "Installing Debian's Chromium …" >&2
export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt-get install --yes --no-install-recommends chromium; } >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  exit 1
}
command -v chromium
