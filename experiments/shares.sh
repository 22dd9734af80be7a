#!/bin/bash
#
# shares.sh TABLE ROW TAU SEED - errors and margins of one data set of D1, whose plane is TAU from the
# origin, with all features and with 256 columns of rs, in ten stratified folds
#
# With all features the SVM is trained on all principal components, which are a turn of the rows: errors
# and margins are the same, in a tenth of the time.  Prints lines "TABLE, ROW, COLUMN, QUANTITY,
# VALUE", separated by tabs.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
table=$1 row=$2 tau=$3 seed=$4

svm-gen separable -n 200 -d 5000 --tau "$tau" --seed "$seed" -q "$work/rows"
awk '{ n += $1 > 0 } END { print 100 * n / NR }' "$work/rows" | column=full line 'positive rows'
for column in full 256; do
	if [ $column = full ]; then map="-m pca -k 199"; else map="-m rs -k $column --seed $seed"; fi
	rp-project -q --threads 1 $map --binary "$work/rows" "$work/data"
	for fold in 1 2 3 4 5 6 7 8 9 10; do
		svm-fold -q -v 10 -f $fold --stratified --seed "$seed" --train "$work/data" "$work/train"
		svm-fold -q -v 10 -f $fold --stratified --seed "$seed" --test "$work/data" "$work/test"
		randsvm-train -q --threads 1 -t 0 -c 1000 "$work/train" "$work/model"
		measures "$work/test" "$work/model"
		svm-eval --geometry "$work/train" "$work/model" | awk '/^margin/ { print $3 }' | line margin
	done
done | awk 'BEGIN { FS = OFS = "\t" } { k = $1 FS $2 FS $3 FS $4 } !(k in n) { order[++keys] = k }
	{ n[k]++; sum[k] += $5 }
	END { for (i = 1; i <= keys; i++) print order[i], sum[order[i]] / n[order[i]] }'
