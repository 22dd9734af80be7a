#!/bin/sh
#
# code_lines.sh - count the lines of the product that are code: neither blank nor comment alone
#
#     scripts/code_lines.sh        a line for each of lib, cmd, api and shim, and their sum
#     scripts/code_lines.sh FILE   of these files, a line for each and the sum
#
# SPDX-License-Identifier: BSD-3-Clause
LC_ALL=C
export LC_ALL
[ $# != 0 ] || cd "$(dirname "$0")/.." || exit 1

# shellcheck disable=SC2016
awk_program='
# is_code(line): is there a character outside comments that is no blank?
function is_code(line,    found, start)
{
	found = 0
	while (line != "") {
		if (in_comment) {
			if (!(start = index(line, "*/")))
				break
			in_comment = 0
			line = substr(line, start + 2)
		} else if (match(line, /\/[*\/]|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047/)) {
			found = found || substr(line, 1, RSTART - 1) ~ /[^ \t]/
			start = substr(line, RSTART, 2)
			if (start == "//")
				break
			in_comment = start == "/*"
			found = found || !in_comment
			line = substr(line, RSTART + RLENGTH)
		} else {
			found = found || line ~ /[^ \t]/
			break
		}
	}
	return found
}

FNR == 1 {
	in_comment = 0
	part = FILENAME
	if (by_folder)
		sub(/\/.*/, "", part)
	if (!(part in lines)) {
		lines[part] = 0
		order[++n] = part
	}
}

is_code($0) {
	lines[part]++
	sum++
}

END {
	for (i = 1; i <= n; i++)
		printf "%-8s %7d\n", order[i], lines[order[i]]
	printf "%-8s %7d lines of code\n", "all", sum
}
'

if [ $# != 0 ]; then
	awk "$awk_program" "$@"
else
	find lib cmd api shim -name '*.[ch]' | sort | xargs awk -v by_folder=1 "$awk_program"
fi
