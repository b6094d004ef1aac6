#!/usr/bin/env bash
# Builds the image from Deploy/Dockerfile, starts Deploy/compose.yaml, and plays the demo on the containers: the owner
# of the match's channel is killed and started again on the way, and the demo's checks must hold.
#
# No registry is asked: base images are made here. `Deploy/containers.sh` puts the program that Deploy/test.sh has
# built, or CARILLON_BINARY, into the build stage; `Deploy/containers.sh --compile` compiles it in the container.
#
# Everything runs in a network namespace without a way out, so that nothing of the machine's network changes.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

compiles=0
if [ "${1:-}" = --compile ]; then compiles=1; shift; fi
space=carillon-$$
home="$PWD/.build/containers"
work="$home/$space"
run="/run/$space" # podman takes at most 50 characters here
network=carillon_carillon

stage "packages"
need_swift
need_packages "${build_packages[@]}" "${container_packages[@]}"
need_compose

podman_here() { # podman with storage of its own, in the network where it is called
    podman --root "$work/root" --runroot "$run" "$@"
}
inside() { nsenter --net="/run/netns/$space" "$@"; }
pod() { inside timeout 120 podman --root "$work/root" --runroot "$run" "$@"; }

clean_up() {
    local status=$?
    trap - EXIT
    set +e
    if [ "$status" -ne 0 ] && [ -e "/run/netns/$space" ]; then
        for name in n1 n2 n3 simulator; do
            echo "--- the last of $name"
            pod logs --tail 15 "carillon_${name}_1" 2>&1 | cut -c1-300
        done
    fi
    [ -n "${orders_reader:-}" ] && kill "$orders_reader" 2>/dev/null
    if [ -e "/run/netns/$space" ]; then
        pod rm --all --force --time 0 >/dev/null 2>&1
        pod network rm "$network" >/dev/null 2>&1
        ip netns pids "$space" | xargs -r kill -9 2>/dev/null
        ip netns del "$space"
    fi
    local mount
    for mount in $(awk -v below="$work/" -v run="$run/" \
        'index($2, below) == 1 || index($2, run) == 1 { print $2 }' /proc/mounts | sort -r); do
        umount -l "$mount"
    done
    rm -rf "$work" "$run"
    exit "$status"
}
trap clean_up EXIT

mkdir -p "$work/bases"
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

# MARK: Base images

debian_image() { # the shipped Dockerfile names it; here it is made from the packages of the distribution
    local tar="$home/debian-bookworm-slim.tar"
    if [ ! -s "$tar" ]; then
        # Without a mirror it takes the distribution's own, with updates and security.
        mmdebstrap --variant=minbase --quiet bookworm "$tar.new"
        mv "$tar.new" "$tar"
    fi
    podman_here import --quiet "$tar" docker.io/library/debian:bookworm-slim >/dev/null
}

swift_image() { # stands in for docker.io/library/swift
    local toolchain
    toolchain="$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")"
    if [ "$compiles" -eq 1 ]; then
        cat >"$work/bases/Dockerfile" <<EOF
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    ca-certificates git ${toolchain_packages[*]} && rm -rf /var/lib/apt/lists/*
ENV PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
EOF
        build_volumes=(--volume "$toolchain:$toolchain:ro")
    else
        # Its compiler hands over the program that was compiled outside, from the same sources with the same flags.
        install -D "$carillon" "$work/bases/out/carillon"
        printf '#!/bin/sh\ncase "$*" in *--show-bin-path*) echo /compiled ;; esac\n' >"$work/bases/swift"
        chmod 755 "$work/bases/swift"
        cat >"$work/bases/Dockerfile" <<EOF
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    binutils && rm -rf /var/lib/apt/lists/*
COPY out/carillon /compiled/carillon
COPY swift /usr/local/bin/swift
EOF
        build_volumes=()
    fi
    build_image docker.io/library/swift:6.3.1-bookworm "$work/bases/Dockerfile" "$work/bases"
}

build_image() { # NAME DOCKERFILE CONTEXT: apt in a build needs the machine's network
    podman_here build --quiet --format docker --isolation chroot --network host --pull-never \
        "${build_volumes[@]}" --tag "$1" --file "$2" "$3" >/dev/null
}

if [ "$compiles" -eq 0 ] && [ -z "${CARILLON_BINARY:-}" ]; then
    stage "release build"
    build_release
fi
carillon="${CARILLON_BINARY:-${carillon:-}}"
stage "base images: made here, no registry is asked"
build_volumes=()
debian_image
swift_image
stage "image from Deploy/Dockerfile ($([ "$compiles" -eq 1 ] && echo compiled inside || echo program from outside))"
build_image localhost/carillon:latest Deploy/Dockerfile .
podman_here images --format '{{.Repository}}:{{.Tag}} {{.Size}}'

# MARK: The cluster

stage "cluster from Deploy/compose.yaml"
ip netns add "$space"
inside ip link set lo up
cat >"$work/podman" <<EOF
#!/bin/sh
exec nsenter --net=/run/netns/$space podman --root "$work/root" --runroot "$run" "\$@"
EOF
chmod 755 "$work/podman"
# What is killed here must stay down until the demo wants it back.
CARILLON_RESTART=no timeout 180 "$compose" --podman-path "$work/podman" -p carillon -f Deploy/compose.yaml \
    up -d --no-build
pod ps --format '{{.Names}} {{.Status}}'

asked() { pod exec carillon_n1_1 /usr/local/bin/carillon "$@"; }
stage "nodes find each other"
asked status --exit-when-healthy --within 60s
asked members -o wide
identity() { asked members -o json | python3 -c "import json, sys
print(next(m['id'] for m in json.load(sys.stdin) if m['name'] == '$1'))"; }
address() { pod inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "carillon_${1}_1"; }

# MARK: The demo

mkfifo -m 666 "$work/orders"
exec 3<>"$work/orders"
follow_orders() { # does what the demo asks for: `kill NAME`, `start NAME`
    local verb name before after
    while read -r verb name <&3; do
        case "$verb $name" in
        "kill n"[123])
            before=$(address "$name")
            pod kill --signal KILL "carillon_${name}_1" >/dev/null
            echo "$name $before" >"$work/killed"
            # Its address goes to somebody else, so that it must come back with a new one.
            pod run --detach --network "$network" --name placeholder --entrypoint /bin/sleep \
                localhost/carillon:latest 600 >/dev/null
            ;;
        "start n"[123])
            pod start "carillon_${name}_1" >/dev/null
            after=$(address "$name")
            echo "$name $after" >"$work/started"
            ;;
        *) echo "an order that nobody understands: $verb $name" >&2 ;;
        esac
    done
}
declare -A identities
for name in n1 n2 n3; do identities[$name]=$(identity "$name"); done
follow_orders &
orders_reader=$!

stage "demo on the containers"
pod_run=(timeout 300 podman --root "$work/root" --runroot "$run" run --rm --network "$network"
    --env-file Deploy/cluster.env --volume carillon_keys:/var/lib/carillon/data/keys:ro
    --volume carillon_simulator:/var/lib/carillon/data/simulator --volume "$work/orders:/orders")
inside "${pod_run[@]}" localhost/carillon:latest demo --existing --orders /orders --plain "$@"

stage "the killed node is who it was, at another address"
read -r name before <"$work/killed"
read -r _ after <"$work/started"
now=$(identity "$name")
echo "$name: identity ${identities[$name]} at $before, then $now at $after"
if [ "$now" != "${identities[$name]}" ]; then
    echo "$name has become another node" >&2
    exit 1
fi
if [ "$before" = "$after" ]; then
    echo "$name has come back with its old address: nothing is shown by that" >&2
    exit 1
fi
asked status --exit-when-healthy --within 60s
stage "done"
