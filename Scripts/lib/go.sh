# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Go packages of this repository with Debian's packages and without network. Source it with the
# repository as the current folder.
. Scripts/lib/setup.sh

# The first part of the import paths of this repository's packages.
go_domain=collectionlayout.example

# Sets the variables of the go command such that it finds this repository's packages and Debian's.
#   go_workspace FOLDER    a folder that does not exist; the caller removes it
go_workspace() {
  mkdir -p "$1/src/$go_domain"
  ln -s "$PWD/Clients/go" "$1/src/$go_domain/layoutclient"
  ln -s "$PWD/Examples/terminal-go" "$1/src/$go_domain/terminal"
  ln -s "$PWD/Tests/Clients/go" "$1/src/$go_domain/testclient"
  export GO111MODULE=off GOFLAGS='' GOPATH="$1:$go_packages" GOCACHE="$PWD/.build/go-cache"
}
