# Sourced by the scripts that find a program: prints where one is, and installs Debian's package where there is none.
# debian_program VARIABLE PACKAGE PROGRAM… looks first for what the variable names, then for the programs in turn. The
# package brings a program of its own name.
debian_program() {
  local variable=$1 package=$2 named name log
  shift 2
  named=${!variable:-}
  log=${TMPDIR:-/tmp}/changeover-$package.log

  if [ -n "$named" ]; then
    command -v "$named" && return
    echo "There is no $named, which $variable names." >&2
    return 1
  fi
  for name; do
    if command -v "$name"; then return; fi
  done
  if ! command -v apt-get >/dev/null; then
    echo "There is no $package and no apt-get to install it with: install it, or name it by $variable=…" >&2
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then
    echo "There is no $package, and only root can install it: apt-get install $package, or name it by $variable=…" >&2
    return 1
  fi
  echo "Installing Debian's $package …" >&2
  { DEBIAN_FRONTEND=noninteractive apt-get update &&
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$package"; } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    return 1
  }
  command -v "$package"
}
