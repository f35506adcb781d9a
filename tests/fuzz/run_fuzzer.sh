#!/usr/bin/env bash
# Runs one fuzzer over its corpus for some seconds. What it finds on the way is kept in FOUND, so
# that the next run starts from there.
# usage: run_fuzzer.sh PROGRAM CORPUS FOUND SECONDS
set -euo pipefail
program=$1 corpus=$2 found=$3 seconds=$4
if [ ! -x "$program" ]; then
  echo "$program is not built; ./dev sanitize builds it" >&2
  exit 1
fi
mkdir -p "$found"
folders=("$found")
[ -d "$corpus" ] && folders+=("$corpus")
exec "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="$found/" "${folders[@]}"
