#!/usr/bin/env bash
# Installs what is missing, builds Carillon and runs every test. Arguments go to `swift test`
# (for example --filter Wire).
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

stage "packages"
need_swift
need_packages "${build_packages[@]}" "${test_packages[@]}"
need_python

stage "format"
swift format lint --strict --recursive Package.swift Sources Tests Benchmarks
echo "format: $(git ls-files '*.swift' | wc -l) Swift files"

stage "debug build"
swift build --build-tests --explicit-target-dependency-import-check error

stage "release build"
build_release

stage "tests"
log=.build/tests.log
status=0
CARILLON_BINARY="$carillon" swift test --skip-build "$@" >"$log" 2>&1 || status=$?
grep -E '^. Suite .* (passed|failed)|^✘|error:|Fatal|^. Test run' "$log" || true
# An exit status of 0 is not enough: a run that found no test must fail too.
passed=$(grep -oE '^✔ Test run with [1-9][0-9]* tests' "$log" | grep -oE '[0-9]+' | tail -n 1)
if [ "$status" -ne 0 ] || [ -z "$passed" ]; then
    tail -n 40 "$log"
    echo "tests: ended with $status; the whole output is in $log" >&2
    exit 1
fi
stage "done"
echo "$passed passed, 0 failed"
