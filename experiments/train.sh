#!/bin/bash
#
# train.sh TABLE ROW COLUMN "TRAINING" "ROWS" "TEST ROWS" - train a machine and test it on other rows
#
# TRAINING is a command without its files, of randsvm-train or LIBLINEAR; ROWS and TEST ROWS are
# commands that write rows, in this order, and may keep files in $work.  Prints lines "TABLE, ROW,
# COLUMN, QUANTITY, VALUE", separated by tabs.  Quantities are the accuracy, or MSE and rho, or if
# SIGN is set how often a regression has the sign of the target, in percent; and the processor time
# of training in seconds, for LIBLINEAR with reading.
#
# In --mode paper lines of the table randsvm-ends tell of the end of the run, unless its rounds are
# limited; and a line "r" of TABLE has the size of the first sample.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
table=$1 row=$2 column=$3
training=$4

# result KEY: print the number of that name in the report of the training
result() { sed -n "s/^\t\"$1\":\t\([-.0-9e+]*\),*\$/\1/p" "$work/report"; }

eval "$5" >"$work/rows"
if [[ $training = randsvm-train* ]]; then
	timed "$work/time" train $training "$work/rows" "$work/model" >"$work/out"
else
	TIMEFORMAT='%U %S'
	{ time $training "$work/rows" "$work/model" >"$work/out"; } 2>&1 |
		awk '/^[0-9.]+ [0-9.]+$/ { print $1 + $2; next } { print >"/dev/stderr" }' >"$work/time"
fi
eval "$6" >"$work/test"
if [ "$SIGN" ]; then
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
