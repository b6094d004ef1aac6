#!/usr/bin/env bash
# Runs the scenarios of Tests/EndToEndTests/Faults: real nodes are killed, frozen, cut off, wiped, come and go while
# events are published to 10,000 keys. Arguments are names of scenarios, like `killOwner`; without arguments all run.
# CARILLON_BINARY names the program, otherwise a release build is made. Cuts need root: network namespaces; where there
# are none, the scenarios that cut are left out when all were wanted, and a line that begins with `skipped:` says so.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

stage "packages"
need_swift
need_packages "${build_packages[@]}" "${test_packages[@]}"
stage "build"
swift build --build-tests --explicit-target-dependency-import-check error
if [ -z "${CARILLON_BINARY:-}" ]; then
    build_release
    export CARILLON_BINARY="$carillon"
fi

can_cut() { # whether this machine lets us make a network of our own
    local space=carillon-probe-$$
    ip netns add "$space" 2>/dev/null || return 1
    ip netns exec "$space" nft list ruleset >/dev/null 2>&1
    local status=$?
    ip netns del "$space"
    return "$status"
}

skipped=
if [ $# -eq 0 ]; then
    set -- killOwner killCoordinator killReplica freezeOwner emptyDisk restartAll join leave
    cuts=(partition oneWayPartition cutFromPeers cutFromAPNs)
    if can_cut; then
        set -- "$@" "${cuts[@]}"
    else
        skipped="skipped: faults: ${cuts[*]}: no network namespace can be made here, which takes root and nftables"
    fi
fi
wanted=$#
stage "faults: $*"
log=.build/faults.log
: >"$log"
failed=()
for name in "$@"; do
    CARILLON_FAULTS="$name" swift test --skip-build --filter 'EndToEnd/FaultTests' >>"$log" 2>&1 || failed+=("$name")
done
grep -E '^faults: events' "$log" | head -n 1 || true
grep -E '^faults: ' "$log" | grep -v '^faults: events' || true
grep -E '^✘|error:' "$log" | cut -c1-300 | head -n 40 || true
passed=$(grep -cE '^✔ Test run with [1-9][0-9]* test' "$log" || true)
if [ ${#failed[@]} -gt 0 ] || [ "$passed" -ne "$wanted" ]; then
    echo "faults: ${failed[*]:-a run without a test}; the whole output is in $log" >&2
    exit 1
fi
stage "done"
[ -z "$skipped" ] || echo "$skipped"
echo "$(grep -cE '^faults: [^e].*\|' "$log") scenarios, each with every promise kept"
