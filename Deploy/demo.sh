#!/usr/bin/env bash
# Installs what is missing, builds Carillon and shows a real match going through it. Arguments go to `carillon demo`.
source "$(dirname "${BASH_SOURCE[0]}")/install.sh"

stage "packages"
need_swift
need_packages "${build_packages[@]}"
stage "release build"
build_release
stage "demo"
exec "$carillon" demo "$@"
