#!/bin/sh
#
# figures.sh - how large the product and its tests are, as a table for doc/testing.md
#
#     scripts/figures.sh        prints it
#     scripts/figures.sh FILE   puts it into FILE, as the section "Sizes"
#
# A unit test's lines are shared equally among the folders of lib/ whose headers it includes, so that
# lines of tests for a line of code say which folders are tested by themselves.
#
# SPDX-License-Identifier: BSD-3-Clause
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1

count() { cat "$@" | wc -l; }

# code FOLDER: lines of code of its sources
code()
{
	find "$1" -name '*.[ch]' | sort | xargs scripts/code_lines.sh | sed -n 's/^all *\([0-9]*\) .*/\1/p'
}

# shares: "FOLDER LINES" for each folder of lib/, of unit tests
shares()
{
	for test in test/unit/test_*.c; do
		folders=$(sed -n 's:^#include "\([a-z]*\)/[a-z0-9_]*\.h".*:\1:p' "$test" | sort -u)
		# shellcheck disable=SC2086
		set -- $folders
		for folder; do
			echo "$folder $(count "$test") $#"
		done
	done | awk '{ lines[$1] += $2 / $3 } END { for (f in lines) printf "%s %d\n", f, lines[f] }'
}

table()
{
	date=$(git log -1 --format=%cs 2>/dev/null || date +%F)
	code=$(scripts/code_lines.sh | sed -n 's/^all *\([0-9]*\) .*/\1/p')
	lines=$(count lib/*/*.[ch] cmd/*/*.[ch] api/*.[ch] shim/*.[ch])
	tests=$(count test/*.sh test/*.bash test/*.py test/*.c test/run test/unit/*.[ch] fuzz/*.[ch])
	units=$(count test/unit/*.[ch])
	files=$(find test/unit -name 'test_*.c' | wc -l)
	targets=$(find fuzz -maxdepth 1 -name 'fuzz_*.c' | wc -l)
	echo "\`scripts/figures.sh\` of $date: $code lines of code in lib, cmd, api and shim, $lines with" \
		"comments; $tests lines of tests, of which $units are unit tests in $files files; $targets" \
		"targets of fuzzing." | fold -s -w 100 | sed 's/ *$//'
	echo
	# shellcheck disable=SC2016
	echo '| folder of `lib/` | lines of code | lines of unit tests for each |'
	echo '|---|---:|---:|'
	shares >"$work"
	for folder in lib/*/; do
		name=$(basename "$folder")
		[ "$(find "$folder" -name '*.c')" ] || continue
		lines=$(code "$folder")
		tests=$(sed -n "s/^$name //p" "$work")
		awk -v n="$name" -v l="$lines" -v t="${tests:-0}" 'BEGIN { printf "| `%s` | %d | %.2f |\n", n, l, t / l }'
	done
}

work=$(mktemp) || exit 1
trap 'rm -f "$work" "$work.table" "$work.new"' EXIT
trap 'exit 1' HUP INT TERM
if [ $# = 0 ]; then
	table
	exit
fi
table >"$work.table"
awk -v table="$work.table" '
	/^## / { skip = 0 }
	!skip { print }
	/^## Sizes/ { skip = 1; print ""; while ((getline line <table) > 0) print line; print "" }
' "$1" >"$work.new" && cat "$work.new" >"$1"
