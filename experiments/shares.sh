#!/bin/bash
#
# shares.sh - errors and margins with all features and with 256 columns of rs, in ten stratified
# folds, and the share of positive rows; see common.sh
#
# With all features the SVM is trained on all principal components, which are a turn of the rows:
# errors and margins are the same, in a tenth of the time.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
row=$data

eval "$generate" >"$work/rows"
awk '{ n += $1 > 0 } END { print 100 * n / NR }' "$work/rows" | column=full line 'positive rows'
rank=$(($(wc -l <"$work/rows") - 1))
for column in full 256; do
	if [ $column = full ]; then map="-m pca -k $rank"; else map="-m rs -k $column --seed $seed"; fi
	rp-project -q --threads 1 $map --binary "$work/rows" "$work/data"
	for fold in 1 2 3 4 5 6 7 8 9 10; do
		svm-fold -q -v 10 -f $fold --stratified --seed "$seed" --train "$work/data" "$work/train"
		svm-fold -q -v 10 -f $fold --stratified --seed "$seed" --test "$work/data" "$work/test"
		randsvm-train -q --threads 1 $train "$work/train" "$work/model"
		measures "$work/test" "$work/model"
		svm-eval --geometry "$work/train" "$work/model" | awk '/^margin/ { print $3 }' | line margin
	done
done | means
