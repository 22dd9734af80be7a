#!/bin/bash
#
# validate.sh TABLE ROW DATA SEED FOLDS TRAIN REDUCTION... - cross validation of reductions
#
# In each of FOLDS ("1 2 3") of ten, what reduces the features is fitted to the training part
# alone and applied to the test part, then a machine is trained with the options TRAIN.
# A REDUCTION is "NAME COLUMN COMMAND ...", the command being rp-project or fs-select with its
# options, or "-" for none.  Prints lines "TABLE, ROW NAME, COLUMN, QUANTITY, VALUE", separated by
# tabs: error, in percent; margin, 1/|w|, if MARGIN is set (machines that separate their
# data, where obj = -|w|^2 / 2); and seconds, of the processor, to reduce and to train.
#
# SPDX-License-Identifier: BSD-3-Clause
set -e -o pipefail
table=$1 row=$2 data=$3 seed=$4 folds=$5
read -ra train <<<"$6"
shift 6
TIMEFORMAT=%U
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# line QUANTITY: a number from standard input, as a line
line() { awk -v OFS='\t' -v key="$table	$row $name	$column	$1" '{ print key, $1 }'; }

for fold in $folds; do
	svm-fold -q -v 10 -f "$fold" --stratified --seed "$seed" --train "$data" "$work/train"
	svm-fold -q -v 10 -f "$fold" --stratified --seed "$seed" --test "$data" "$work/test"
	for reduction; do
		read -r name column tool arguments <<<"$reduction"
		cp "$work/train" "$work/small"
		cp "$work/test" "$work/small.t"
		echo 0 >"$work/reducing"
		if [ "$tool" != - ]; then
			read -ra options <<<"$arguments"
			{ time "$tool" "${options[@]}" -q --threads 1 --seed $((100 * seed + fold)) --binary \
				-s "$work/map" "$work/train" "$work/small" 2>"$work/log"; } 2>"$work/reducing"
			"$tool" -q -r "$work/map" --binary "$work/test" "$work/small.t"
		fi
		{ time randsvm-train --threads 1 "${train[@]}" "$work/small" "$work/model" \
			>"$work/out" 2>"$work/log"; } 2>"$work/training"
		svm-eval "$work/small.t" "$work/model" | awk '/^Accuracy/ { print 100 - $3 }' | line error
		if [ "$MARGIN" ]; then
			awk '/^obj/ { print 1 / sqrt(-2 * $3) }' "$work/out" | line margin
		fi
		cat "$work/reducing" "$work/training" | awk '{ s += $1 } END { print s }' | line seconds
	done
done
