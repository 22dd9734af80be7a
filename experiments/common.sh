# common.sh - functions that train.sh and validate.sh share; these scripts source it
#
# Makes a temporary folder $work, which is removed at the end.
#
# SPDX-License-Identifier: BSD-3-Clause
set -e -o pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timed FILE PHASES COMMAND...: run a program of randsvm, and write the processor time of the phases
# "A|B" of its report to FILE; print its messages if it fails
timed()
{
	local file=$1 phases=$2 program=$3

	shift 3
	"$program" --report "$work/report" "$@" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
	awk -v phases="^\"($phases)\":$" '/"cpu_seconds_per_phase":/ { found = 1; next }
		found && /}/ { exit }
		found && $1 ~ phases { s += $2; n++ }
		END { if (!n) exit 1; print s }' "$work/report" >"$file"
}

# line QUANTITY: print the number on standard input as a line of results
line() { awk -v OFS='\t' -v key="$table	$row	$column	$1" '{ print key, $1 }'; }

# seconds QUANTITY FILE...: print the sum of the times that timed() wrote, as a line of results
seconds() { local name=$1; shift; cat "$@" | awk '{ s += $1 } END { print s }' | line "$name"; }

# measures DATA MODEL: print the measures of svm-eval as lines of results
measures()
{
	svm-eval "$1" "$2" >"$work/measures"
	awk '/^Accuracy/ { print 100 - $3 }' "$work/measures" | line error
	awk '/^Mean/ { print $5 }' "$work/measures" | line MSE
	awk '/^Squared/ { print $5 }' "$work/measures" | line r2
}
