#!/usr/bin/env bash
# Builds the image from Deploy/Dockerfile, starts Deploy/compose.yaml, and plays the demo on the containers: the owner
# of the match's channel is killed and started again on the way, and the demo's checks must hold. Then all containers
# are stopped and started again. Every node that comes back has a new address, and must be who it was.
#
# No registry is asked: base images are made here. `Deploy/containers.sh` puts the program that Deploy/test.sh has
# built, or CARILLON_BINARY, into the build stage; `Deploy/containers.sh --compile` compiles it in the container. Other
# arguments go to `carillon demo`.
#
# Everything runs in a network namespace without a way out, and podman's state lies in a mount namespace, so that
# nothing of the machine changes and nothing of an earlier run is seen. Ends with 77, and says why, where that cannot
# be. What the containers of the last run have logged is in .build/containers/logs.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

compiles=0
if [ "${1:-}" = --compile ]; then compiles=1; shift; fi
space=carillon-$$
home="$PWD/.build/containers"
work="$home/$space"
spaces="$work/spaces"
run="/run/$space" # podman takes at most 50 characters here
network=carillon_carillon
nodes=(n1 n2 n3)
containers=("${nodes[@]}" simulator)
logs="$home/logs"

skip() { # REASON
    echo "skipped: containers: $*"
    exit 77
}

[ "$(id -u)" -eq 0 ] || skip "namespaces and mounts need root"
unshare --mount --net true 2>/dev/null || skip "this machine makes no namespaces"

stage "packages"
need_packages "${container_packages[@]}" binutils
need_compose

in_space() { nsenter --mount="$spaces/mounts" --wdns="$PWD" "$@"; }
inside() { in_space nsenter --net="$spaces/net" "$@"; }
podman_here() { in_space podman --root "$work/root" --runroot "$run" "$@"; } # builds: apt needs the machine's network
pod() { inside timeout 120 podman --root "$work/root" --runroot "$run" "$@"; }

clean_up() {
    local status=$? name pid pids
    trap - EXIT
    set +e
    for name in "${containers[@]}"; do
        [ -e "$work/compose.log" ] || break
        pod logs "carillon_${name}_1" >"$logs/$name" 2>&1
        if [ "$status" -ne 0 ]; then
            echo "--- the last of $name; the rest is in $logs"
            tail -n 25 "$logs/$name" | cut -c1-300
        fi
    done
    [ -n "${orders_reader:-}" ] && kill "$orders_reader" 2>/dev/null
    if [ -e "$spaces/net" ]; then
        pids=$(
            for name in "${containers[@]}"; do
                pod inspect --format '{{.State.Pid}}' "carillon_${name}_1" 2>/dev/null
            done
        )
        pod rm --all --force --time 0 >/dev/null 2>&1
        # The runtime has left a process behind before.
        for pid in $pids; do [ "$pid" -gt 1 ] && kill -9 "$pid" 2>/dev/null; done
    fi
    if [ -e "/run/netns/$space" ]; then
        ip netns pids "$space" | xargs -r kill -9 2>/dev/null
        ip netns del "$space"
    fi
    # What podman mounted goes with the namespace.
    umount -l "$spaces/net" "$spaces/mounts" "$spaces" 2>/dev/null
    rm -rf "$work" "$run"
    exit "$status"
}
trap clean_up EXIT

# MARK: A place of its own

mkdir -p "$work/bases" "$spaces" "$logs"
cat >"$work/containers.conf" <<EOF
[containers]
default_ulimits = ["nofile=16384:16384", "nproc=9000:9000"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
EOF
export CONTAINERS_CONF="$work/containers.conf"

# Wherever its storage is, podman keeps networks, leases of addresses and the table of its name server at one place of
# the machine: names that an aborted run has left there would be answered with addresses that nobody has.
make_spaces() {
    local place
    mount --bind "$spaces" "$spaces"
    mount --make-private "$spaces"
    touch "$spaces/mounts" "$spaces/net"
    ip netns add "$space"
    mount --bind "/run/netns/$space" "$spaces/net"
    unshare --mount="$spaces/mounts" --propagation private true
    for place in /etc/containers/networks /run/containers /run/netns; do
        mkdir -p "$place"
        in_space mount -t tmpfs "$space" "$place"
    done
    inside ip link set lo up
    # Images are many small files: in memory, where there is enough, they are made faster and gone at once. A compiler
    # inside needs more.
    if [ "$compiles" -eq 0 ] && awk '/^MemAvailable:/ { exit $2 < 8e6 }' /proc/meminfo; then
        mkdir -p "$work/root"
        in_space mount -t tmpfs -o size=4g "$space" "$work/root"
    fi
}
make_spaces

# MARK: Images

debian_image() { # the shipped Dockerfile names it; here it is made from the packages of the distribution
    local tar="$home/debian-bookworm-slim.tar"
    if [ ! -s "$tar" ]; then
        # Without a mirror it takes the distribution's own, with updates and security. Caches and manuals stay out.
        mmdebstrap --variant=minbase --quiet --format=tar --customize-hook='rm -f "$1"/var/cache/apt/*.bin' \
            --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
            bookworm "$tar.new"
        mv "$tar.new" "$tar"
    fi
    podman_here import --quiet "$tar" docker.io/library/debian:bookworm-slim >/dev/null
}

can_run() { # whether containers get a network here, and names
    local trouble
    trouble=$({
        pod network create probe && pod run --rm --name probe --network probe \
            docker.io/library/debian:bookworm-slim getent hosts probe
    } 2>&1 >/dev/null) || skip "podman runs none here: $(tail -n 1 <<<"$trouble")"
    pod network rm probe >/dev/null
}

swift_image() { # stands in for docker.io/library/swift
    local toolchain
    if [ "$compiles" -eq 1 ]; then
        toolchain="$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")"
        cat >"$work/bases/Dockerfile" <<EOF
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    ca-certificates git ${toolchain_packages[*]} && rm -rf /var/lib/apt/lists/*
ENV PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
EOF
        build_volumes=(--volume "$toolchain:$toolchain:ro")
    else
        # Its compiler hands over the program that was compiled outside, from the same sources with the same flags, and
        # that is stripped already.
        install -D -s "$carillon" "$work/bases/carillon"
        printf '#!/bin/sh\ncase "$*" in *--show-bin-path*) echo /compiled ;; esac\n' >"$work/bases/swift"
        printf '#!/bin/sh\n' >"$work/bases/strip"
        chmod 755 "$work/bases/swift" "$work/bases/strip"
        cat >"$work/bases/Dockerfile" <<EOF
FROM docker.io/library/debian:bookworm-slim
COPY carillon /compiled/carillon
COPY swift strip /usr/local/bin/
EOF
        build_volumes=()
    fi
    build_image docker.io/library/swift:6.3.1-bookworm "$work/bases/Dockerfile" "$work/bases"
}

build_image() { # NAME DOCKERFILE CONTEXT
    podman_here build --quiet --format docker --isolation chroot --network host --pull-never \
        "${build_volumes[@]}" --tag "$1" --file "$2" "$3" >/dev/null
}

stage "base images: made here, no registry is asked"
build_volumes=()
debian_image
can_run
if [ "$compiles" -eq 1 ]; then
    need_swift
elif [ -z "${CARILLON_BINARY:-}" ]; then
    stage "release build"
    need_swift
    need_packages "${build_packages[@]}"
    build_release
fi
carillon="${CARILLON_BINARY:-${carillon:-}}"
swift_image
stage "image from Deploy/Dockerfile ($([ "$compiles" -eq 1 ] && echo compiled inside || echo program from outside))"
build_image localhost/carillon:latest Deploy/Dockerfile .
podman_here images --filter dangling=false --format '{{.Repository}}:{{.Tag}} {{.Size}}'

# MARK: What is known of nodes

asked() { pod exec carillon_n1_1 /usr/local/bin/carillon "$@"; }
address() { pod inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "carillon_${1}_1"; }
since() { # MILLISECONDS: how long ago that was
    awk -v now="$(date +%s%3N)" -v then="$1" 'BEGIN { printf "%.1f s", (now - then) / 1000 }'
}

declare -A identities generations addresses
learn() { # remembers who the nodes are and where
    local name identity generation
    while read -r name identity generation; do
        identities[$name]=$identity
        generations[$name]=$generation
        addresses[$name]=$(address "$name")
    done < <(asked members -o json | python3 -c 'import json, sys
for member in json.load(sys.stdin): print(member["name"], member["id"], member["generation"])')
}

same_but_elsewhere() { # NAME...: have they started again as who they were, at other addresses?
    local name identity generation place
    local -A identity_before generation_before address_before
    for name in "$@"; do
        identity_before[$name]=${identities[$name]}
        generation_before[$name]=${generations[$name]}
        address_before[$name]=${addresses[$name]}
    done
    learn
    for name in "$@"; do
        identity=${identity_before[$name]} generation=${generation_before[$name]} place=${address_before[$name]}
        echo "$name: ${identities[$name]} at ${addresses[$name]} in generation ${generations[$name]};" \
            "was $identity at $place in $generation"
        if [ "${identities[$name]}" != "$identity" ]; then fail "$name has become another node"; fi
        if [ "${generations[$name]}" -le "$generation" ]; then fail "$name has not begun a new generation"; fi
        if [ "${addresses[$name]}" = "$place" ]; then fail "$name has its old address: nothing is shown by that"; fi
    done
}

fail() {
    echo "containers: $*" >&2
    exit 1
}

# MARK: The cluster

stage "cluster from Deploy/compose.yaml"
cat >"$work/podman" <<EOF
#!/bin/sh
exec nsenter --mount="$spaces/mounts" --wdns="$PWD" nsenter --net="$spaces/net" \
    podman --root "$work/root" --runroot "$run" "\$@"
EOF
chmod 755 "$work/podman"
# A bridge takes the lowest address of its ports unless it has one of its own: then every container that comes or goes
# can change it, and for most of a minute the others send their questions for names to nobody.
pod network create "$network" >/dev/null
pod run --detach --network "$network" --name keeper --entrypoint /bin/sleep localhost/carillon:latest 3600 >/dev/null
bridge=$(pod network inspect "$network" | python3 -c 'import json, sys
print(json.load(sys.stdin)[0]["network_interface"])')
inside ip link set "$bridge" address "$(inside ip -brief link show "$bridge" | awk '{ print $3 }')"
# What is killed here must stay down until the demo wants it back.
CARILLON_RESTART=no timeout 180 "$compose" --podman-path "$work/podman" -p carillon -f Deploy/compose.yaml \
    up -d --no-build >"$work/compose.log" 2>&1 || { cat "$work/compose.log"; fail "compose does not start it"; }
up=$(date +%s%3N)
pod ps --filter name=carillon_ --format '{{.Names}} {{.Status}}'

stage "nodes find each other by name"
asked status --exit-when-healthy --within 60s
echo "healthy $(since "$up") after the last of them was started"
asked members -o wide
learn
for name in "${nodes[@]}"; do
    user=$(pod exec "carillon_${name}_1" awk '/^Uid:/ { print $2 }' /proc/1/status)
    [ "$user" -eq 900 ] || fail "$name runs as user $user"
done
asked members -o json | python3 -c 'import json, sys
for member in json.load(sys.stdin):
    for place in ("control", "data"):
        host = member[place].removeprefix("tcp://").rpartition(":")[0]
        if host != member["name"]: sys.exit(member["name"] + " says that it is reached at " + member[place])
' || fail "an address that is no help to others"
echo "every process runs as user 900; every node says the name under which it is reached"

# MARK: The demo

mkfifo -m 666 "$work/orders"
exec 3<>"$work/orders"
follow_orders() { # does what the demo asks for: `kill NAME`, `start NAME`
    local verb name
    while read -r verb name <&3; do
        case "$verb $name" in
        "kill n"[123])
            pod kill --signal KILL "carillon_${name}_1" >/dev/null
            echo "$name" >"$work/killed"
            # Its address goes to somebody else, so that it must come back with a new one.
            pod run --detach --network "$network" --name placeholder --entrypoint /bin/sleep \
                localhost/carillon:latest 600 >/dev/null
            ;;
        "start n"[123])
            pod start "carillon_${name}_1" >/dev/null
            date +%s%3N >"$work/started"
            # It is a whole member when it says itself that nothing is missing, and the others agree.
            pod exec "carillon_${name}_1" /usr/local/bin/carillon status --exit-when-healthy --within 60s >/dev/null
            since "$(cat "$work/started")" >"$work/whole"
            ;;
        *) echo "an order that nobody understands: $verb $name" >&2 ;;
        esac
    done
}
follow_orders &
orders_reader=$!

stage "demo on the containers: the owner of the channel is killed"
demo=(timeout 300 podman --root "$work/root" --runroot "$run" run --rm --network "$network"
    --env-file Deploy/cluster.env --volume carillon_keys:/var/lib/carillon/data/keys:ro
    --volume carillon_simulator:/var/lib/carillon/data/simulator --volume "$work/orders:/orders"
    localhost/carillon:latest demo --existing --orders /orders --plain)
inside "${demo[@]}" "$@"

stage "the killed node is who it was, at another address"
asked status --exit-when-healthy --within 60s
same_but_elsewhere "$(cat "$work/killed")"
for ((tries = 0; tries < 300; tries++)); do
    [ ! -s "$work/whole" ] || break
    sleep 0.2
done
[ -s "$work/whole" ] || fail "it did not become a whole member"
echo "a whole member $(cat "$work/whole") after its container was started"

# MARK: All at once

stage "all containers stop and start again, all addresses change"
# The simulator forgets its devices and channels with that, which APNs does not: nodes must bear it all the same.
stopping=$(date +%s%3N)
pod stop --time 30 carillon_n1_1 carillon_n2_1 carillon_n3_1 carillon_simulator_1 >/dev/null
echo "stopped in $(since "$stopping")"
# Those who stood last start first, so that no two of the old addresses are given out in the old order.
pod start carillon_n3_1 carillon_simulator_1 carillon_n2_1 carillon_n1_1 >/dev/null
up=$(date +%s%3N)
asked status --exit-when-healthy --within 60s
echo "healthy $(since "$up") after the last of them was started"
same_but_elsewhere "${nodes[@]}"
asked channel create match/again --app cricket --as scores >/dev/null
echo '{"aps":{"event":"update","content-state":{"ball":1}}}' |
    pod exec --interactive carillon_n2_1 /usr/local/bin/carillon publish --app cricket --channel match/again \
        --as scores --important -
for ((tries = 0; ; tries++)); do
    outcome=$(asked get --app cricket --channel match/again --as scores -o json | grep -o 'apns_accepted' || true)
    [ -z "$outcome" ] || break
    [ "$tries" -lt 50 ] || fail "APNs did not get the event"
    sleep 0.2
done
echo "an event goes through"
stage "done"
