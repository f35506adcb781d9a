#!/usr/bin/env bash
# Draws the same demo worlds in each water, for the table in ../README.md and the project's README.
# usage: draw.sh SLUICE, the toolbox
set -euo pipefail
sluice=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
worlds=$here/../../../worlds
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

draw() {  # world ticks scale
  for water in cellular block stream hydro; do
    # Without a water of their own and its options.
    sed -e '/^water = /d; /^\[water\]/d; /^max_sweeps/d' -e "0,/^size = /s/^size = .*/&\nwater = \"$water\"/" \
      "$worlds/$1.toml" >"$folder/$1.toml"
    "$sluice" sim "$folder/$1.toml" --ticks "$2" --png "$here/$1-$water.png" --scale "$3"
  done
}

draw dam-break 60 1
draw u-tube 30 8
draw waterfall 200 4
