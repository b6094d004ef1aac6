# Sourced by the other scripts here: finds out what is missing, says so, installs it. Debian 12; Swift 6.3 must be there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# what the Swift toolchain itself needs to compile and link
toolchain_packages=(binutils gcc libc6-dev libstdc++-12-dev libcurl4 libedit2 libncurses6 libpython3.11 libxml2 libz3-4
    tzdata zlib1g-dev)
# libraries that Carillon is built on: sockets, HTTP/2, TLS, disk, configuration files
build_packages=(libzmq3-dev libnghttp2-dev libssl-dev libsqlite3-dev libtomlplusplus-dev libjemalloc-dev)
# what the tests talk to besides: a Python producer and independent HTTP/2 programs
test_packages=(python3 python3-venv sqlite3 curl nghttp2-client nghttp2-server iproute2 nftables)
# producers and APNs clients of others, for the tests
python_packages=('pyzmq>=26,<28' 'aioapns>=4,<5' 'h2>=4.1,<5')
# what the benchmarks compare with
bench_packages=(nghttp2-client rapidjson-dev)
# containers and network namespaces; crun does not run on machines with both versions of cgroups, runc does
container_packages=(podman runc netavark aardvark-dns nftables iptables conmon catatonit iproute2 mmdebstrap
    python3-venv)

stage() { # TEXT: names the stage that begins
    printf '\n== %s (%ds)\n' "$*" "$SECONDS"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

need_swift() {
    need_packages "${toolchain_packages[@]}"
    if ! command -v swift >/dev/null; then
        echo "swift is not on the PATH. Install a Swift 6.3 toolchain from swift.org, then run this again." >&2
        exit 69
    fi
    swift --version 2>&1 | head -n 1
}

need_packages() { # NAME...: installs the Debian packages that are missing
    local missing=() name
    for name in "$@"; do
        if ! dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed'; then missing+=("$name"); fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        echo "Debian packages: all there ($*)"
        return
    fi
    echo "Debian packages to install: ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

need_python() { # a private environment under .build, so that nothing of the machine's Python changes
    local home=.build/python
    if ! "$home/bin/python" -c 'import zmq, aioapns, h2' 2>/dev/null; then
        echo "Python packages to install into $home: ${python_packages[*]}"
        /usr/bin/python3 -m venv "$home"
        "$home/bin/pip" install --quiet --disable-pip-version-check "${python_packages[@]}"
    fi
    PATH="$PWD/$home/bin:$PATH"
    export PATH
}

need_compose() { # podman-compose in a private environment under .build
    compose=.build/python-compose/bin/podman-compose
    if ! "$compose" --version >/dev/null 2>&1; then
        echo "Python package to install into .build/python-compose: podman-compose"
        /usr/bin/python3 -m venv .build/python-compose
        .build/python-compose/bin/pip install --quiet --disable-pip-version-check 'podman-compose>=1.5,<2'
    fi
    compose="$PWD/$compose"
}

build_release() { # builds the carillon command as it is shipped
    swift build -c release --static-swift-stdlib --product carillon --explicit-target-dependency-import-check error \
        -Xswiftc -cross-module-optimization
    carillon="$PWD/$(swift build -c release --show-bin-path | sed "s|^$PWD/||")/carillon"
    export carillon
}
