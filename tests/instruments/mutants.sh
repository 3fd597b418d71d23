#!/usr/bin/env bash
# Lists the mutants of FILE that TESTS let live. Cosmic Ray writes each mutant into a copy of the last commit.
# Usage: mutants.sh BIN FILE TESTS..., BIN being the folder of python and cosmic-ray
set -euo pipefail
bin=$(realpath "$1")
file=${2:?name the file to mutate: FILE=mc/intervals/kl.py}
tests=${*:3}
: "${tests:?name the tests that should fail: TESTS=tests/mc/intervals}"
copy=$(mktemp -d)
trap 'git worktree remove --force "$copy/tree"; rm -rf "$copy"' EXIT
git worktree add --quiet --detach "$copy/tree"
cd "$copy/tree"
export PYTHONPATH=$PWD
cat >"$copy/mutation.toml" <<EOF
[cosmic-ray]
module-path = "$file"
timeout = 300.0
excluded-modules = []
test-command = "$bin/python -m pytest -x -q -p no:cacheprovider -m 'not slow' $tests"
[cosmic-ray.distributor]
name = "local"
EOF
"$bin/cosmic-ray" init "$copy/mutation.toml" "$copy/session.sqlite"
"$bin/cosmic-ray" baseline "$copy/mutation.toml"
"$bin/cosmic-ray" exec "$copy/mutation.toml" "$copy/session.sqlite"
"$bin/cr-report" --surviving-only --show-diff "$copy/session.sqlite"
