#!/usr/bin/env bash
# Installs what is missing, builds Carillon and its benchmarks and runs them. Arguments go to
# `carillon-bench`, for example `acks --rounds 9` or `delivery -o json`; without arguments the closing figures
# are measured, in about half an hour.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

stage "packages"
need_swift
need_packages "${build_packages[@]}" "${bench_packages[@]}"

stage "release build"
export CARILLON_BENCHMARKS=1
build_release
swift build -c release --product carillon-bench --explicit-target-dependency-import-check error \
    -Xswiftc -cross-module-optimization
bench="$(dirname "$carillon")/carillon-bench"

if [ $# -gt 0 ]; then
    stage "$1"
    CARILLON_BINARY="$carillon" exec "$bench" "$@"
fi
failed=()
measure() {
    stage "$*"
    CARILLON_BINARY="$carillon" "$bench" "$@" || failed+=("$1")
}
for name in acks delivery start payload transport batch mesh latency placement replicated; do measure "$name"; done
measure failover --kills 40 --ends 10
measure leases --election 600 --kills 20 --minutes 6
stage "storage"
directory="$(mktemp -d)"
"$bench" storage "$directory" || failed+=(storage)
rmdir "$directory"
stage "done"
if [ ${#failed[@]} -gt 0 ]; then
    echo "goals missed or not run: ${failed[*]}" >&2
    exit 1
fi
