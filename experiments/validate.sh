#!/bin/bash
#
# validate.sh TABLE ROW DATA SEED FOLDS TRAIN REDUCTION... - cross validation of feature reductions
#
# FOLDS is a list such as "1 2 3" of the ten folds.  In each of them every REDUCTION is fitted to
# the training part alone and applied to the test part; then an SVM is trained with the options
# TRAIN.  With FOLDS "in-sample" all rows are used for training and for testing.
#
# A REDUCTION is "NAME COLUMN COMMAND ...".  The command is rp-project or fs-select with options, or
# "-" for no reduction.  Prints lines "TABLE, ROW NAME, COLUMN, QUANTITY, VALUE", separated by tabs,
# with means over the folds.  Quantities are the error in percent, or MSE and r2; the margin 1/|w|,
# if MARGIN is set, with the error on the training part; and processor time in seconds, of the reduction
# and of reduction and training, without reading and writing.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
table=$1 data=$3 seed=$4 folds=$5
title=$2
read -ra train <<<"$6"
shift 6

cut_fold() { svm-fold -q -v 10 -f "$fold" --stratified --seed "$seed" "$@"; }

# reduce TOOL OPTION...: make $work/small of $work/train, and $work/small.t of $work/test
reduce()
{
	local tool=$1

	shift
	if [ "$tool" = - ]; then
		echo 0 >"$work/reducing"
		cp "$work/train" "$work/small"
		cp "$work/test" "$work/small.t"
	else
		timed "$work/reducing" 'map|project|train|choose' "$tool" "$@" -q --threads 1 --seed "$((100 * seed + ${fold/in-sample/0}))" \
			--binary -s "$work/map" "$work/train" "$work/small"
		"$tool" -q -r "$work/map" --binary "$work/test" "$work/small.t"
	fi
}

for fold in $folds; do
	if [ "$fold" = in-sample ]; then
		cp "$data" "$work/train"
		cp "$data" "$work/test"
	else
		cut_fold --train "$data" "$work/train"
		cut_fold --test "$data" "$work/test"
	fi
	for reduction; do
		read -r name column command <<<"$reduction"
		row="${title:+$title }$name"
		reduce $command
		timed "$work/training" train randsvm-train --threads 1 -q "${train[@]}" "$work/small" "$work/model"
		measures "$work/small.t" "$work/model"
		if [ "$MARGIN" ]; then
			svm-eval --geometry "$work/small" "$work/model" | awk '/^margin/ { print $3 }' | line margin
			[ "$folds" = in-sample ] || svm-eval "$work/small" "$work/model" |
				awk '/^Accuracy/ { print 100 - $3 }' | line 'in-sample error'
		fi
		if [ "$command" != - ]; then
			seconds 'seconds to reduce' "$work/reducing"
		fi
		seconds seconds "$work/reducing" "$work/training"
	done
done | awk 'BEGIN { FS = OFS = "\t" } { k = $1 FS $2 FS $3 FS $4 } !(k in n) { order[++keys] = k }
	{ n[k]++; sum[k] += $5 }
	END { for (i = 1; i <= keys; i++) print order[i], sum[order[i]] / n[order[i]] }'
