# common.sh - what the scripts that make results share; these source it
#
# The environment of a script has the columns of data.tsv and plans.tsv: table, data, method,
# column, seed, train, generate and test.  A script prints lines "TABLE, ROW, COLUMN, QUANTITY,
# VALUE", separated by tabs.  $work is a temporary folder, which is removed at the end.
#
# SPDX-License-Identifier: BSD-3-Clause
set -e -o pipefail
export LC_ALL=C
: "${table?}" "${data?}" "${method?}" "${column?}" "${seed?}" "${train?}" "${generate?}" "${test?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# reduction NAME: options of rp-project or fs-select, as the papers have it; NAME is that of a
# method, and with .s only the support vectors have a part in the choice, with .u no labels
reduction()
{
	case ${1%%.*} in
	fht) echo -m fht --with-replacement ;; # by default without, which is more accurate
	rrqr) echo -m rrqr --beyond lapack ;;
	rrqr-restart) echo -m rrqr ;;
	*) echo -m "${1%%.*}" ;;
	esac
	case $1 in
	*.s) echo --rows sv ;;
	*.u) echo --unsupervised ;;
	esac
}

# means: the mean of the values of each quantity, in the order of the first ones
means()
{
	awk 'BEGIN { FS = OFS = "\t" } { k = $1 FS $2 FS $3 FS $4 } !(k in n) { order[++keys] = k }
		{ n[k]++; sum[k] += $5 }
		END { for (i = 1; i <= keys; i++) print order[i], sum[order[i]] / n[order[i]] }'
}

# timed FILE PHASES COMMAND...: run a program of randsvm, and write the processor time of the
# phases "A|B" of its report to FILE; print its messages if it fails
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
