#!/bin/bash
#
# coverage.sh - which lines of the interfaces tests run, by gcov
#
#     scripts/coverage.sh    as `make coverage`
#
# Counts lines of api/ and shim/ that run in the unit tests of the public library and of LIBSVM's
# functions, with 150 and 20 drawn sequences of calls; of api/ in the tests of the Python module.
# Lines that did not run are then in build-gcov/*.missed.  Builds there, without optimisation.  What
# ends by a signal or _exit() is not counted.
#
# SPDX-License-Identifier: BSD-3-Clause
cd "$(dirname "$0")/.." || exit 1

units=$(cd test/unit && ls test_api*.c test_shim*.c | sed 's/^test_//; s/\.c$//')
build() { make -s BUILD=build-gcov CFLAGS='-O0 -g --coverage -fprofile-update=atomic' LDFLAGS=--coverage "$@"; }

# tests NAME...: from no counts on
tests()
{
	find build-gcov -name '*.gcda' -delete
	build TESTS="$*" check-built >build-gcov/log 2>&1 || { tail -n 20 build-gcov/log; exit 1; }
}

# covered FOLDER WHO: "FOLDER: N of M lines"; those that did not run are in the file WHO-FOLDER.missed
covered()
{
	gcov --stdout -o "build-gcov/$1" "build-gcov/$1"/*.gcno 2>/dev/null |
		awk -F: -v folder="$1" -v missed="build-gcov/$2-$1.missed" '
			$2 + 0 == 0 && $3 == "Source" { name = $4; on = name ~ "^" folder "/.*[.]c$" }
			on && $1 !~ /-$/ { n++; run += $1 !~ /#/ }
			on && $1 ~ /#/ { print name ":" $0 >missed }
			END { printf "%s/: %d of %d lines\n", folder, run, n }'
}

# shellcheck disable=SC2046
build -j"$(nproc)" programs library shim $(printf 'build-gcov/test/test_%s ' $units) \
	build-gcov/fuzz/replay_api build-gcov/fuzz/replay_shim >/dev/null || exit 1
# shellcheck disable=SC2046
tests $(printf 'unit/%s ' $units)
build-gcov/fuzz/replay_api --drawn=1-150 >/dev/null && build-gcov/fuzz/replay_shim --drawn=1-20 >/dev/null || exit 1
echo "unit tests and sequences of calls:"
covered api units
covered shim units
tests python
echo "the Python module's tests:"
covered api python
