#!/bin/bash
#
# leverage.sh TABLE ROW TRAIN TEST SEED COST "COUNTS" - exact leverage scores against estimates of them
#
# Scores are those of all rows of TRAIN (unsupervised).  For each of COUNTS this many features are
# drawn by the scores (leverage) and by the estimates (approx-leverage), and those with the largest
# scores (top) and estimates (approx-top) are taken; a linear SVM is trained on them, with C = COST.
# Prints lines "TABLE, ROW METHOD, COUNT, QUANTITY, VALUE", separated by tabs.  Quantities are the
# error on TEST in percent; the percentage of the features of top that approx-top has, too; the
# processor time of finding scores and choosing; and of all features with a score the relative
# errors of the estimates, in percent: their median, 99th percentile and largest.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
table=$1 title=$2 train=$3 test=$4 seed=$5 cost=$6 counts=$7

# test_on FOLDER: train and test on the rows there
test_on()
{
	randsvm-train -q --threads 1 -t 0 -c "$cost" "$1/train" "$1/model"
	measures "$1/test" "$1/model"
}

# choose METHOD: let fs-select choose $column features, and test them
choose()
{
	row="$title $1"
	timed "$work/time" choose fs-select -q --threads 1 --unsupervised -m "$1" -k "$column" \
		--seed "$seed" -s "$work/map" "$train" "$work/train"
	fs-select -q -r "$work/map" "$test" "$work/test"
	test_on "$work"
	seconds 'seconds to reduce' "$work/time"
}

# keep FEATURES FILE: the rows of FILE with the features that the file FEATURES lists
keep()
{
	gzip -dcf "$2" | awk 'FILENAME != "-" { wanted[$1]; next }
		{ s = $1; for (i = 2; i <= NF; i++) { split($i, a, ":"); if (a[1] in wanted) s = s " " $i }; print s }' \
		"$1" -
}

# all_scores METHOD OPTION...: lines "feature score", the largest score first; features without
# values have none, and the one with the smallest score, of which nothing is wanted, is left out
all_scores()
{
	local method=$1

	shift
	fs-select -q --threads 1 --unsupervised -m "$method" -k "$((with_values - 1))" --seed "$seed" "$@" \
		--list "$train" | awk '!/^#/ { print $1, $3 }' | sort -k 2,2gr -k 1,1n
}

with_values=$(gzip -dcf "$train" | awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); f[a[1]] } }
	END { print length(f) }')
all_scores top >"$work/exact"
all_scores approx-leverage --sampling bernoulli >"$work/estimates"

row="$title approx-leverage" column='all scores'
awk 'NR == FNR { score[$1] = $2; next }
	$1 in score { d = $2 / score[$1] - 1; print 100 * (d < 0 ? -d : d) }' "$work/exact" "$work/estimates" |
	sort -g >"$work/deviations"
for share in .5 .99 1; do
	name=$(echo "$share" | sed 's/^.5$/median/; s/^.99$/99th percentile/; s/^1$/largest/')
	awk -v share=$share '{ d[NR] = $1 } END { i = int(share * NR); print d[i < 1 ? 1 : i] }' "$work/deviations" |
		line "error of scores, $name"
done

for column in $counts; do
	choose leverage
	choose approx-leverage
	for method in top approx-top; do
		row="$title $method"
		if [ "$method" = top ]; then scores=exact; else scores=estimates; fi
		head -n "$column" "$work/$scores" | cut -d ' ' -f 1 | sort >"$work/chosen.$method"
		keep "$work/chosen.$method" "$train" >"$work/train"
		keep "$work/chosen.$method" "$test" >"$work/test"
		test_on "$work"
	done
	comm -12 "$work/chosen.top" "$work/chosen.approx-top" | awk -v n="$column" 'END { print 100 * NR / n }' |
		line 'in common with top'
done
