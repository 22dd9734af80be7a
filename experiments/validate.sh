#!/bin/bash
#
# validate.sh REDUCTION... - cross validation of feature reductions; see common.sh
#
# `test` lists folds of the ten to test, and is $FOLDS by default.  In each of them every
# REDUCTION is fitted to the training part alone and applied to the test part; then an SVM is
# trained with the options `train`.  With "in-sample" in place of folds all rows are used for
# training and for testing.
#
# A REDUCTION is COLUMN:PROGRAM:NAME[:ARGUMENTS], where PROGRAM is rp-project or fs-select, and
# ARGUMENTS those of -k, by default COLUMN; or `full` for none.  Quantities, means over the folds,
# are the error in percent, or MSE and r2; the margin 1/|w|, if MARGIN is set; the error on the
# training part, if IN_SAMPLE is; the number of features that fs-select has chosen; and processor
# time in seconds, of the reduction and of reduction and training, without reading and writing.
# If ITERATIONS is set, svm-train is run as well, and `iterations of svm-train` are those it took.
# If RECOVER is set, rows "... recovered" tell of the model of a random projection by its multipliers
# and the rows before; their `certified distance` is the relative gap in percent, which the optimum of
# the training part with all features is not further away.  If CERTIFY is set, a model of chosen features
# is compared with that of all features, on the whole training part, in percent: `margin kept` is its
# margin, and `objective above optimum` how much more the objective is than the least one.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh

# in the binary form the parts are cut and read in a tenth of the time
eval "$generate" | rp-project -q -m none --binary - "$work/data"

cut_fold() { svm-fold -q -v 10 -f "$fold" --stratified --seed "$seed" "$@"; }

# reduce [PROGRAM OPTION...]: make $work/small of $work/train, and $work/small.t of $work/train.t
reduce()
{
	local tool=$1

	if [ ! "$tool" ]; then
		echo 0 >"$work/reducing"
		cp "$work/train" "$work/small"
		cp "$work/train.t" "$work/small.t"
	else
		timed "$work/reducing" 'map|project|train|choose' "$@" -q --threads 1 \
			--seed "$((100 * seed + ${fold/in-sample/0}))" --binary \
			-s "$work/map" "$work/train" "$work/small"
		if [ "$tool" = fs-select ]; then
			awk '/"selection":/ { found = 1 } found && $1 == "\"features\":" { print $2 + 0; exit }' \
				"$work/report" | line chosen
		fi
		"$tool" -q -r "$work/map" --binary "$work/train.t" "$work/small.t"
	fi
}

# margin MODEL: 1/|w|
margin() { svm-eval --weights "$1" | awk '$1 ~ /^[0-9]/ { s += $2 ^ 2 } END { print 1 / sqrt(s) }'; }

# assess ROWS MODEL: print what MODEL does on the training part ROWS and the test part ROWS.t
assess()
{
	measures "$1.t" "$2"
	if [ "$MARGIN" ]; then
		margin "$2" | line margin
	fi
	if [ "$IN_SAMPLE" ]; then
		svm-eval "$1" "$2" | awk '/^Accuracy/ { print 100 - $3 }' | line 'in-sample error'
	fi
}

# certified MODEL: what svm-eval proves of MODEL, with all features, on the training part
certified() { svm-eval --verbose --certify "$work/train" ${train/-t 0/} "$1" 2>"$work/log"; }

# primal: the primal objective of what certified() prints
primal() { sed -n 's/^primal = \([^,]*\),.*/\1/p'; }

for fold in ${test:-$FOLDS}; do
	if [ "$fold" = in-sample ]; then
		cp "$work/data" "$work/train"
		cp "$work/data" "$work/train.t"
	else
		cut_fold --train "$work/data" "$work/train"
		cut_fold --test "$work/data" "$work/train.t"
	fi
	if [ "$CERTIFY" ]; then
		randsvm-train --threads 1 -q $train "$work/train" "$work/model"
		optimum=$(certified "$work/model" | primal)
		widest=$(margin "$work/model")
	fi
	for reduction; do
		IFS=: read -r column program name arguments <<<"$reduction"
		row="${data:+$data }${name:-full}"
		reduce $program ${name:+$(reduction "$name") -k ${arguments:-$column}}
		timed "$work/training" train randsvm-train --threads 1 -q $train \
			--sv-indices "$work/indices" "$work/small" "$work/model"
		assess "$work/small" "$work/model"
		if [ "$program" ]; then
			seconds 'seconds to reduce' "$work/reducing"
		fi
		seconds seconds "$work/reducing" "$work/training"
		if [ "$ITERATIONS" ] && [[ $name = @(cw|rs|fht|) ]]; then
			rp-project -q -m none "$work/small" "$work/text"
			svm-train $train "$work/text" "$work/other" |
				sed -n 's/^optimization finished, #iter = //p' | line 'iterations of svm-train'
		fi
		if [ "$CERTIFY" ] && [ "$program" = fs-select ]; then
			margin "$work/model" | awk -v widest="$widest" '{ print 100 * $1 / widest }' | line 'margin kept'
			fs-select -q -r "$work/map" --fold "$work/model" "$work/folded"
			certified "$work/folded" | primal | awk -v optimum="$optimum" '{ print 100 * ($1 / optimum - 1) }' |
				line 'objective above optimum'
		fi
		if [ "$RECOVER" ] && [[ $name = @(cw|rs|fht) ]]; then
			rp-project -q -r "$work/map" --recover "$work/train" --sv-indices "$work/indices" --keep-sv \
				"$work/model" "$work/recovered"
			row="$row recovered"
			assess "$work/train" "$work/recovered"
			certified "$work/recovered" | sed -n 's/^primal.*relative gap = \([^,]*\),.*/\1/p' |
				awk '{ print 100 * $1 }' | line 'certified distance'
		fi
	done
done | means
