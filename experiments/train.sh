#!/bin/bash
#
# train.sh TABLE ROW COLUMN "TRAINING" "ROWS" "TEST ROWS" - train and test on data made by svm-gen
#
# TRAINING is a command without its files; ROWS and TEST ROWS are arguments of svm-gen.  Prints
# lines "TABLE, ROW, COLUMN, QUANTITY, VALUE", separated by tabs.  Quantities are the accuracy, or
# MSE and rho; the processor time of training in seconds; and r, the size of the first sample, if the program
# prints it.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
table=$1 row=$2 column=$3
training=$4
svm-gen $5 -q "$work/rows"
timed "$work/time" train $training "$work/rows" "$work/model" >"$work/out"
svm-gen $6 -q "$work/test"
measures "$work/test" "$work/model" | awk 'BEGIN { FS = OFS = "\t" }
	$4 == "error" { $4 = "accuracy"; $5 = 100 - $5 }
	$4 == "r2" { $4 = "rho"; $5 = sqrt($5) }
	{ print }'
seconds seconds "$work/time"
sed -n 's/^k = .*, r = //p' "$work/out" | line r
