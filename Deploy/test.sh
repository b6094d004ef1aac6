#!/usr/bin/env bash
# Installs what is missing, builds Carillon and runs every test. Arguments go to `swift test` (for example --filter Wire).
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
log=$(mktemp)
trap 'rm -f "$log"' EXIT
CARILLON_BINARY="$carillon" swift test --skip-build "$@" 2>&1 | tee "$log" | grep -vE '^◇|^✔ Test |passed after' || true
# `swift test` is asked twice: once for its verdict, once whether it ran anything at all.
if ! grep -qE '✔ Test run with [1-9][0-9]* tests' "$log"; then
    grep -E '✘|error:|Fatal' "$log" | head -n 60
    echo "tests: failed, or none ran" >&2
    exit 1
fi
passed=$(grep -oE '✔ Test run with [0-9]+ tests' "$log" | grep -oE '[0-9]+' | tail -n 1)
echo "$passed passed, 0 failed"
