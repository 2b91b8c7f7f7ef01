#!/usr/bin/env bash
# Prints where Chromium is, and installs Debian's where there is none. CHROMIUM names another one.
set -euo pipefail
. "$(dirname "$0")/debian-program.sh"

debian_program CHROMIUM chromium chromium chromium-browser google-chrome google-chrome-stable
