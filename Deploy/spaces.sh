#!/usr/bin/env bash
# Hosts as network namespaces on one bridge, with cuts between them: what tests use instead of machines and cables.
# Needs root, iproute2 and nftables. The bridge has a namespace of its own, so nothing touches the machine's network.
#
#   spaces.sh PREFIX up NUMBER...        hosts PREFIX-NUMBER with address 10.88.0.NUMBER
#   spaces.sh PREFIX cut A B...          A hears nothing from the B any more
#   spaces.sh PREFIX part "A..." "B..."  neither side hears the other
#   spaces.sh PREFIX heal                all cuts are mended
#   spaces.sh PREFIX down                ends every process in them and removes them
set -euo pipefail
net=10.88.0
prefix=$1
verb=$2
shift 2

host() { echo "$prefix-$1"; }
nft_in() { nsenter --net="/run/netns/$(host "$1")" nft "$2"; }

up() {
    local number
    { echo "netns add $prefix-bridge"; for number in "$@"; do echo "netns add $(host "$number")"; done; } | ip -batch -
    {
        echo "link set lo up"
        echo "link add bridge type bridge forward_delay 0 stp_state 0"
        echo "link set bridge up"
        for number in "$@"; do
            echo "link add port$number type veth peer name eth0 netns $(host "$number")"
            echo "link set port$number master bridge up"
        done
    } | ip -n "$prefix-bridge" -batch -
    for number in "$@"; do
        printf 'link set lo up\naddr add %s.%d/24 dev eth0\nlink set eth0 up\n' "$net" "$number" \
            | ip -n "$(host "$number")" -batch -
    done
}

cut() {
    local deaf=$1 silent
    shift
    nft_in "$deaf" 'add table inet fault; add chain inet fault in { type filter hook input priority -10; }'
    for silent in "$@"; do nft_in "$deaf" "add rule inet fault in ip saddr $net.$silent drop"; done
}

part() {
    local left right
    for left in $1; do
        for right in $2; do
            cut "$left" "$right"
            cut "$right" "$left"
        done
    done
}

names() { ip netns list | awk '{ print $1 }' | grep "^$prefix-" || true; }

heal() {
    local name
    for name in $(names); do
        nsenter --net="/run/netns/$name" nft 'add table inet fault; delete table inet fault'
    done
}

down() {
    local name
    for name in $(names); do
        ip netns pids "$name" | xargs -r kill -9 2>/dev/null || true
        ip netns del "$name"
    done
}

case $verb in
up | cut | part | heal | down) "$verb" "$@" ;;
*)
    echo "usage: spaces.sh PREFIX up|cut|part|heal|down ..." >&2
    exit 64
    ;;
esac
