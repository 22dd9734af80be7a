# common.sh - what the scripts of the experiments share; sourced
#
# Makes a folder $work, gone in the end.
#
# SPDX-License-Identifier: BSD-3-Clause
set -e -o pipefail
export LC_ALL=C
TIMEFORMAT='%U %S'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timed FILE COMMAND...: its seconds of the processor in FILE; what it reports if it fails
timed()
{
	local file=$1

	shift
	{ time "$@" 2>"$work/log"; } 2>"$file" || { cat "$work/log" >&2; exit 1; }
}

# line QUANTITY: a number from standard input, as a line of results
line() { awk -v OFS='\t' -v key="$table	$row	$column	$1" '{ print key, $1 }'; }

# seconds QUANTITY FILE...: the sum of what timed() wrote, as a line
seconds() { local name=$1; shift; cat "$@" | awk '{ s += $1 + $2 } END { print s }' | line "$name"; }

# measures DATA MODEL: lines for what svm-eval finds
measures()
{
	svm-eval "$1" "$2" >"$work/measures"
	awk '/^Accuracy/ { print 100 - $3 }' "$work/measures" | line error
	awk '/^Mean/ { print $5 }' "$work/measures" | line MSE
	awk '/^Squared/ { print $5 }' "$work/measures" | line r2
}
