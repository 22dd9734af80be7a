#!/bin/bash
#
# train.sh PROGRAM OPTION... - train a machine and test it on other rows; see common.sh
#
# PROGRAM is randsvm-train or LIBLINEAR.  The commands `generate` and `test` write rows, in this
# order, and may keep files in $work.  Quantities are the accuracy, or MSE and rho, or for a
# regression on targets 1 and -1 how often it has the sign of the target, in percent; and the
# processor time of training in seconds, for LIBLINEAR with reading.
#
# If `column` is a result of --mode paper, it is the size of its first sample.
#
# In --mode paper lines of the table randsvm-ends tell of the end of the run, unless its rounds
# are limited; and a line "r" of the table has the size of the first sample.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
row="$data $method"
if [ -f "$column" ]; then
	column=$(awk -F '\t' '$4 == "r" { print $5 }' "$column")
fi
n=$(printf %.0f "$column")
training="$* $train"

# result KEY: print the number of that name in the report of the training
result() { sed -n "s/^\t\"$1\":\t\([-.0-9e+]*\),*\$/\1/p" "$work/report"; }

eval "$generate" >"$work/rows"
if [ "$1" = randsvm-train ]; then
	timed "$work/time" train $training "$work/rows" "$work/model" >"$work/out"
else
	TIMEFORMAT='%U %S'
	{ time $training "$work/rows" "$work/model" >"$work/out"; } 2>&1 |
		awk '/^[0-9.]+ [0-9.]+$/ { print $1 + $2; next } { print >"/dev/stderr" }' >"$work/time"
fi
eval "$test" >"$work/test"
if head -n 2 "$work/model" | grep -qi svr && awk '$1 != 1 && $1 != -1 { exit 1 }' "$work/test"; then
	svm-eval --with-labels "$work/test" "$work/model" "$work/predictions" >"$work/measures"
	awk '{ n += $1 * $2 > 0 } END { print 100 * n / NR }' "$work/predictions" | line accuracy
else
	measures "$work/test" "$work/model" | awk 'BEGIN { FS = OFS = "\t" }
		$4 == "error" { $4 = "accuracy"; $5 = 100 - $5 }
		$4 == "r2" { $4 = "rho"; $5 = sqrt($5) }
		{ print }'
fi
seconds seconds "$work/time"
sed -n 's/^k = .*, r = //p' "$work/out" | line r
if [[ $training = *"--mode paper"* && $training != *--max-iter* ]]; then
	table=randsvm-ends
	result rounds | line rounds
	result n_sv | line 'support vectors'
	sed -n 's/^k = \(.*\), r = .*/\1/p' "$work/out" | line k
	result violators | line violators
fi
