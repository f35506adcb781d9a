#!/usr/bin/env bash
# Builds the image of docker/Dockerfile without an engine, starts the server from it as it ships, and asks
# what it promises: a user of its own, a file system that it only reads but for its data, health, and that
# nobody builds without an account. Called by ./dev docker-check; needs root, as building images does.
#
#   debootstrap ─► base ─► buildah bud ─► image ─► its own network and mounts ─► server, viewer, health
#
# Packages, npm's packages and certificates come from where this machine gets its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$PWD/build/docker-check
base=localhost/sluice-base image=localhost/sluice-check
say() { printf 'docker-check: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
images() { buildah --root "$folder/storage" --runroot "$folder/run" --storage-driver vfs "$@"; }

# The machine's Debian: its release, and its first mirror.
release() { . /etc/os-release && printf '%s' "$VERSION_CODENAME"; }
mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m 1 -v security ||
    printf 'http://deb.debian.org/debian'
}

# Debian alone, with this machine's way to its packages.
make_base() {
  local root=$folder/base container
  # What the run before left.
  images rm --all >/dev/null 2>&1 || true
  images rmi --all --force >/dev/null 2>&1 || true
  if [ ! -e "$root/etc/debian_version" ]; then
    say "a base of Debian $(release)"
    rm -rf "$root"
    debootstrap --variant=minbase "$(release)" "$root" "$(mirror)" >"$folder/debootstrap.log"
  fi
  rm -f "$root/etc/apt/sources.list"
  cp -rL /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/"
  # Nobody needs an image of which the power was cut in the middle.
  printf 'force-unsafe-io\n' >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
  mkdir -p "$root/usr/local/share/ca-certificates"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/usr/local/share/ca-certificates/machine.crt"
  container=$(images from scratch)
  images add --quiet "$container" "$root" / >/dev/null
  images commit --quiet --rm "$container" "$base" >/dev/null
}

make_image() {
  say "the image"
  images bud --isolation chroot --layers=false --file docker/Dockerfile --tag "$image" \
    --build-arg "BASE=$base" \
    --build-arg "NPM_CONFIG_REGISTRY=$(npm config get registry)" \
    --build-arg NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    . >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log" >&2; fail "the image could not be built"; }
}

# In a network and mounts of their own: the root file system is read-only but for /data, and the user is
# the image's. `within COMMAND ...` runs in it.
run_checks() {
  local root=$1 user=$2
  shift 2
  ip link set lo up
  mount --bind "$root" "$root"
  mount -o remount,bind,ro "$root"
  mount -t tmpfs -o "uid=$user,mode=755" data "$root/data"
  mount -t proc proc "$root/proc"
  within() { chroot --userspec="$user" "$root" "$@"; }
  chroot --userspec="$user" "$root" "$@" >"$folder/server.log" 2>&1 &
  local server=$! waited=0
  trap "kill $server 2>/dev/null || true" EXIT
  until within sluice admin health >/dev/null 2>&1; do
    kill -0 "$server" 2>/dev/null || { cat "$folder/server.log" >&2; fail "the server ended"; }
    [ $((waited += 1)) -le 300 ] || fail "the server is not healthy after a minute"
    sleep 0.2
  done
  [ "$(stat -c %u "/proc/$server")" = "$user" ] || fail "it runs as user $(stat -c %u "/proc/$server")"
  say "healthy, as user $user"
  within sluice-view ws://127.0.0.1:8080/worlds/cave --headless --for 5 >/dev/null ||
    fail "a viewer sees nothing"
  printf '{"cmd": "set_cells", "from": [0, 0, 0], "size": [1, 1, 1], "cell": "#"}\n' >"$root/data/edit.jsonl"
  within sluice-view ws://127.0.0.1:8080/worlds/cave --headless --script /data/edit.jsonl >"$folder/edit.log" 2>&1 || true
  grep -q 'not allowed: who shows no token' "$folder/edit.log" ||
    { cat "$folder/edit.log" >&2; fail "who has no account was not refused"; }
  if within touch /worlds/mine 2>/dev/null; then fail "its file system can be written"; fi
  kill -TERM "$server"
  wait "$server" || fail "the server did not end well"
  [ -s "$root/data/cave.sluice" ] || fail "it left no recording"
  say "watched, not edited, stopped well; its recording is in /data"
}

if [ "${1:-}" = --inside ]; then
  shift
  run_checks "$@"
  exit
fi

[ "$(id -u)" -eq 0 ] || fail "images are built as root"
mkdir -p "$folder"
make_base
make_image
container=$(images from "$image")
trap 'images umount "$container" >/dev/null; images rm "$container" >/dev/null' EXIT
read_config() { images inspect --type image --format "$1" "$image"; }
mapfile -t command < <(read_config '{{range .OCIv1.Config.Entrypoint}}{{println .}}{{end}}{{range .OCIv1.Config.Cmd}}{{println .}}{{end}}' | sed '/^$/d')
user=$(read_config '{{.OCIv1.Config.User}}')
[ -n "$user" ] && [ "$user" != 0 ] || fail "the image runs as root"
root=$(images mount "$container")
unshare --net --mount --propagation private bash "${BASH_SOURCE[0]}" --inside "$root" "$user" "${command[@]}"
size_of() { images images --format '{{.Size}}' "$1"; }
say "well: an image of $(size_of "$image"), its base of $(size_of "$base") included"
