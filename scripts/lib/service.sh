# shellcheck shell=bash
# The service under test, for scripts in bash, which begin in the project's folder with `. scripts/lib/service.sh`.
# Those in Python have the package pincluster beside this file.

# find_binary: sets $binary to what BINARY names, or to the release binary, or to the debug binary; exits without one.
find_binary() {
  local candidate
  binary=${BINARY:-}
  for candidate in .build/release/pincluster .build/debug/pincluster; do
    [ -n "$binary" ] || [ ! -x "$candidate" ] || binary=$candidate
  done
  [ -n "$binary" ] || {
    echo "no binary: swift build -c release" >&2
    exit 1
  }
}

# start_service LOG DATA [FLAG...]: starts $binary on a data directory and waits until it is ready; exits if it ends.
# Sets $server, the number of its process, $port and $url.
start_service() {
  : >"$1"
  "$binary" serve --port 0 --data "${@:2}" 2>"$1" &
  server=$!
  until grep -q '"event":"ready"' "$1"; do
    kill -0 "$server" 2>/dev/null || {
      cat "$1" >&2
      exit 1
    }
    sleep 0.01
  done
  port=$(sed -n 's/.*"event":"listening".*"port":\([0-9]*\).*/\1/p' "$1")
  # shellcheck disable=SC2034  # read by the scripts
  url=http://127.0.0.1:$port
}

# stop_service: ends the service that was started last, if it still runs. Returns its exit code.
stop_service() {
  [ -z "${server:-}" ] || {
    kill "$server"
    wait "$server"
    server=
  }
}
