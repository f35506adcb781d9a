#!/usr/bin/env bash
# Runs one test program of the build with the address and undefined-behaviour sanitizers, from which each
# test takes several times as long: properties draw fewer cases. Matrices that corrupt every value of a file
# in turn say the same with and without sanitizers, and are left to the release.
# usage: run_sanitized.sh PROGRAM
set -euo pipefail
program=$1
if [ ! -x "$program" ]; then
  echo "$program is not built; ./dev sanitize builds it" >&2
  exit 1
fi
export RC_PARAMS="${RC_PARAMS:-} max_success=20"
exec "$program" --gtest_brief=1 --gtest_filter='-KillMatrix*'
