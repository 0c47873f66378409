# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Checks and installs the system packages that Scripts/run, Scripts/test, Scripts/lint and .ci/run need.
# All lists of packages are in this file. Source it with the repository as the current folder.
#
#   need_swift           a working Swift toolchain, and the libraries that the build links against
#   need_python          Python with venv and pip
#   need_tk              Tk for Python, to show windows
#   need_xvfb            a display that nobody sees, to test windows
#   need_protoc          the protobuf compiler with the well-known types
#   need_go_client       Go with Debian's gRPC packages, to build the Go client and what uses it
#   need_go_generator    the same, and what generates its messages
#   need_cpp_client      a C++ compiler with Debian's gRPC packages, to build the C++ client
#   need_node            Node, to test the browser client
#   need_chromium        Chromium and tsc, to test the inspector and the browser client's types
#   need_prometheus      Prometheus, to scrape the admin port
#   need_postgresql      PostgreSQL, which several servers can share
#   need_haproxy         HAProxy, to put in front of several servers and to check its configuration
#   need_packaging       what makes and checks Debian packages
#
# Each returns 0 if everything is installed. Missing packages are installed if apt-get and root or sudo
# are available. Otherwise the function prints a command that installs them, and returns 1.
# NO_INSTALL=1 installs nothing.

# The Swift version for which the code is written. Newer compilers may warn, and warnings are errors.
swift_version=6.3

# Builds what is packaged, and what is counted. It has a folder of its own: the flags differ from those of other builds, and in
# one folder each build would undo the others.
# shellcheck disable=SC2034
static_build=(swift build -c release --static-swift-stdlib --scratch-path "$PWD/.build/static")

say() { printf '==> %s\n' "$*" >&2; }

# Installs packages of Debian or Ubuntu, or prints the command that does.
#   install_packages PURPOSE PACKAGE...
install_packages() {
  local purpose=$1 command as_root=()
  shift
  if ! command -v apt-get >/dev/null; then
    say "$purpose: please install the equivalents of these Debian packages: $*"
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then as_root=(sudo); fi
  command="${as_root[*]:+${as_root[*]} }apt-get install -y --no-install-recommends $*"
  if [ -n "${NO_INSTALL:-}" ] || ! may_become_root; then
    say "$purpose: please run: $command"
    return 1
  fi
  say "$purpose: $command"
  "${as_root[@]}" apt-get update -qq >&2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$@" >&2 && return
  say "$purpose: the installation failed; please run: $command"
  return 1
}

# Whether this is root, or sudo works without a password or can ask for one on a terminal.
may_become_root() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null || return
  sudo -n true 2>/dev/null || [ -t 0 ]
}

# MARK: Swift

# The Debian packages that a toolchain from swift.org and the linker need.
swift_packages=(
  binutils ca-certificates g++ git libcurl4-openssl-dev libedit-dev libncurses-dev libpython3-dev
  libpq-dev libsqlite3-dev libxml2-dev pkg-config tzdata zlib1g-dev
)

need_swift() {
  local found major_minor
  if ! command -v swift >/dev/null; then
    say "Swift $swift_version is not installed, or not on PATH. See https://www.swift.org/install; on" \
      "Linux, this command installs it:"
    swift_install_line >&2
    return 1
  fi
  # A toolchain from an archive does not include the system libraries that it links against.
  if ! swift_runs || ! has_build_libraries; then
    install_packages "Needed to build" "${swift_packages[@]}" || return
  fi
  if ! found=$(swift_runs); then
    say "$(command -v swift) does not run: $(head -n 1 <<<"$found")"
    return 1
  fi
  found=$(grep -oE 'Swift version [0-9]+\.[0-9]+[0-9.]*' <<<"$found" | head -n 1)
  found=${found#Swift version }
  major_minor=$(cut -d. -f1,2 <<<"$found")
  if [ "$major_minor" = "$swift_version" ]; then return; fi
  if [ "$(printf '%s\n' "$swift_version" "$major_minor" | sort -V | head -n 1)" = "$swift_version" ]; then
    say "Swift $found is newer than $swift_version, for which this project is written; it may not build."
    return
  fi
  say "Swift $found is too old; $swift_version is needed. With swiftly: swiftly install --use" \
    "$swift_version. Without swiftly:"
  swift_install_line >&2
  return 1
}

# Prints the version, or the error if the compiler or the package manager cannot be started.
swift_runs() { swift --version 2>&1 && swift package --version 2>&1; }

# Whether the headers and libraries that the build needs are installed.
has_build_libraries() {
  command -v git >/dev/null || return
  # On other systems the package of the toolchain installs them.
  command -v dpkg-query >/dev/null || return 0
  local file
  for file in sqlite3.h stdlib.h zlib.h; do
    [ -e "/usr/include/$file" ] || [ -e "/usr/local/include/$file" ] || return
  done
  [ -e /usr/include/postgresql/libpq-fe.h ] || [ -e /usr/local/include/libpq-fe.h ] || return
  ls /usr/include/c++/*/cstddef >/dev/null 2>&1
}

swift_install_line() {
  echo "curl -O https://download.swift.org/swiftly/linux/swiftly-$(uname -m).tar.gz &&" \
    "tar zxf swiftly-$(uname -m).tar.gz && ./swiftly init --assume-yes --skip-install &&" \
    ". ~/.local/share/swiftly/env.sh && swiftly install --use $swift_version"
}

# MARK: Tests

need_python() {
  python3 -c 'import ensurepip, venv' 2>/dev/null && return
  install_packages "Needed for the Python client" python3 python3-venv || return
  python3 -c 'import ensurepip, venv'
}

need_tk() {
  python3 -c 'import tkinter' 2>/dev/null && return
  install_packages "Needed for windows" python3-tk || return
  python3 -c 'import tkinter' 2>/dev/null && return
  say "$(command -v python3) was built without Tk and does not find Debian's: windows cannot be shown"
  return 1
}

need_xvfb() {
  command -v Xvfb >/dev/null && return
  install_packages "Needed to test windows" xvfb || return
  command -v Xvfb >/dev/null
}

need_protoc() {
  has_protoc && return
  install_packages "Needed for the protobuf compiler" protobuf-compiler libprotobuf-dev || return
  has_protoc
}

has_protoc() {
  command -v protoc >/dev/null &&
    { [ -e /usr/include/google/protobuf/descriptor.proto ] ||
      [ -e "$(dirname "$(command -v protoc)")/../include/google/protobuf/descriptor.proto" ]; }
}

need_node() {
  has_node && return
  install_packages "Needed to test the browser client" nodejs || return
  has_node
}

# Node 18 or newer.
has_node() { node --eval 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null; }

need_chromium() {
  command -v chromium >/dev/null && command -v tsc >/dev/null && return
  install_packages "Needed to test the inspector, and types of the browser client" chromium node-typescript || return
  command -v chromium >/dev/null && command -v tsc >/dev/null
}

need_prometheus() {
  command -v prometheus >/dev/null && return
  install_packages "Needed to scrape the admin port" prometheus || return
  command -v prometheus >/dev/null
}

# The folder of PostgreSQL's programs, which Debian does not add to PATH.
postgresql_programs() {
  local folder
  for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV) ${PATH//:/ }; do
    if [ -x "$folder/initdb" ] && [ -x "$folder/pg_ctl" ]; then
      printf '%s\n' "$folder"
      return
    fi
  done
  return 1
}

need_postgresql() {
  postgresql_programs >/dev/null && return
  install_packages "Needed for servers that share a database" postgresql || return
  postgresql_programs >/dev/null
}

need_haproxy() {
  command -v haproxy >/dev/null && return
  install_packages "Needed to balance several servers" haproxy || return
  command -v haproxy >/dev/null
}

need_valgrind() {
  command -v valgrind >/dev/null && command -v strip >/dev/null && return
  install_packages "Needed to count instructions" binutils valgrind || return
  command -v valgrind >/dev/null
}

need_packaging() {
  command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null &&
    command -v python3 >/dev/null && command -v strip >/dev/null && return
  install_packages "Needed to make Debian packages" binutils dpkg-dev python3 || return
  command -v dpkg-shlibdeps >/dev/null
}

# The folder in which Debian installs packages of Go modules.
go_packages=/usr/share/gocode

need_go_client() {
  has_go_client && return
  install_packages "Needed for the Go client" golang-go golang-golang-x-sys-dev \
    golang-google-grpc-dev golang-google-protobuf-dev || return
  has_go_client
}

has_go_client() {
  local package
  command -v go >/dev/null || return
  for package in golang.org/x/sys/unix google.golang.org/grpc google.golang.org/protobuf; do
    [ -d "$go_packages/src/$package" ] || return
  done
}

need_go_generator() {
  need_go_client && need_protoc || return
  command -v protoc-gen-go >/dev/null && return
  install_packages "Needed to generate the messages of the Go client" protoc-gen-go || return
  command -v protoc-gen-go >/dev/null
}

need_cpp_client() {
  has_cpp_client && return
  # libgrpc++-dev only recommends libprotobuf-dev.
  install_packages "Needed for the C++ client" g++ libgrpc++-dev libprotobuf-dev make pkg-config \
    protobuf-compiler protobuf-compiler-grpc || return
  has_cpp_client
}

has_cpp_client() {
  local program
  for program in g++ grpc_cpp_plugin make pkg-config protoc; do
    command -v "$program" >/dev/null || return
  done
  pkg-config --exists grpc++ protobuf
}

# Creates a virtual environment with the packages of a requirements file. Repeats it when the file changes.
#   virtual_environment FOLDER REQUIREMENTS
virtual_environment() {
  local folder=$1 requirements=$2
  cmp -s "$requirements" "$folder/installed" && return
  python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" &&
    cp "$requirements" "$folder/installed"
}
