#!/usr/bin/env bash
# Runs the tests of the threads and the C borders under a sanitizer: `Deploy/sanitize.sh thread`, `address` or `undefined`.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

kind=${1:-thread}
case $kind in thread | address | undefined) ;; *)
    echo "usage: Deploy/sanitize.sh thread|address|undefined [swift test arguments]" >&2
    exit 64
    ;;
esac
shift || true

need_swift
need_packages "${build_packages[@]}" "${test_packages[@]}"
need_python

# A build of its own, so that the ordinary one stays warm. Leaks of the test runner itself are not ours to report.
export ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no
filter='LoopsTests|MessagingTests|HTTP2Tests|StorageTests|APNsTests|TelemetryTests|CarillonClientTests|NodeTests'
if [ $# -eq 0 ]; then set -- --filter "$filter"; fi
swift test --sanitize="$kind" --scratch-path ".build-$kind" "$@"
