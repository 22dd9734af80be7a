#!/bin/bash
#
# relevant.sh - the five features chosen most often from rows of which the first few are relevant,
# and the error with the chosen ones; see common.sh
#
# `column` is "k=RELEVANT r=CHOSEN".  Features are chosen in ten stratified folds of each of
# $SETS.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
row=$method
[[ $column =~ ^k=(.*)\ r=(.*)$ ]]
relevant=${BASH_REMATCH[1]}
count=${BASH_REMATCH[2]}
if [ "$method" = rfe ]; then
	count="$count --one"
fi

eval "$generate" >"$work/rows"
for s in $SETS; do
	for fold in 1 2 3 4 5 6 7 8 9 10; do
		svm-fold -v 10 -f $fold --stratified --seed "$s" --train "$work/rows" |
			fs-select -q $(reduction "$method") -k $count --seed $((100 * s + fold)) --list -
	done
done | awk '!/^#/ { print $1 }' | sort | uniq -c | sort -k 1,1nr -k 2,2nr | head -n 5 |
	awk -v OFS='\t' -v key="$table	$row	$column	features" \
		'{ s = s (NR > 1 ? " " : "") $2 } END { print key, s }'
generate="cat $work/rows" ./validate.sh "$column:fs-select:$method:$count" |
	awk -F '\t' '$4 == "error"'
