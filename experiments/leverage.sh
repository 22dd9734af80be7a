#!/bin/bash
#
# leverage.sh COUNT... - exact leverage scores against estimates of them; see common.sh
#
# Scores are those of all training rows (unsupervised).  For each COUNT this many features are
# drawn by the scores (leverage) and by the estimates (approx-leverage), and those with the
# largest scores (top) and estimates (approx-top) are taken; a linear SVM is trained on them.
# Quantities are the error on the test rows in percent; the percentage of the features of top that
# approx-top has, too; the processor time of finding scores and choosing; and of all features with
# a score the relative errors of the estimates, in percent: their median, 99th percentile and
# largest.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
eval "$generate" >"$work/rows"
eval "$test" >"$work/rows.t"

# train_and_test: on $work/train and $work/test
train_and_test()
{
	randsvm-train -q --threads 1 -t 0 $train "$work/train" "$work/model"
	measures "$work/test" "$work/model"
}

# choose METHOD: let fs-select choose $column features, and test them
choose()
{
	row="$data $1"
	timed "$work/time" choose fs-select -q --threads 1 --unsupervised -m "$1" -k "$column" \
		--seed "$seed" -s "$work/map" "$work/rows" "$work/train"
	fs-select -q -r "$work/map" "$work/rows.t" "$work/test"
	train_and_test
	seconds 'seconds to reduce' "$work/time"
}

# keep FEATURES FILE: the rows of FILE with the features that the file FEATURES lists
keep()
{
	awk 'NR == FNR { wanted[$1]; next }
		{ s = $1; for (i = 2; i <= NF; i++) { split($i, a, ":"); if (a[1] in wanted) s = s " " $i }; print s }' \
		"$1" "$2"
}

# all_scores METHOD OPTION...: lines "feature score", the largest score first; features without
# values have none, and the one with the smallest score, of which nothing is wanted, is left out
all_scores()
{
	local method=$1

	shift
	fs-select -q --threads 1 --unsupervised -m "$method" -k "$((with_values - 1))" --seed "$seed" "$@" \
		--list "$work/rows" | awk '!/^#/ { print $1, $3 }' | sort -k 2,2gr -k 1,1n
}

with_values=$(awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); f[a[1]] } }
	END { print length(f) }' "$work/rows")
all_scores top >"$work/exact"
all_scores approx-leverage --sampling bernoulli >"$work/estimates"

row="$data approx-leverage" column='all scores'
awk 'NR == FNR { score[$1] = $2; next }
	$1 in score { d = $2 / score[$1] - 1; print 100 * (d < 0 ? -d : d) }' "$work/exact" "$work/estimates" |
	sort -g >"$work/deviations"
for share in .5 .99 1; do
	name=$(echo "$share" | sed 's/^.5$/median/; s/^.99$/99th percentile/; s/^1$/largest/')
	awk -v share=$share '{ d[NR] = $1 } END { i = int(share * NR); print d[i < 1 ? 1 : i] }' "$work/deviations" |
		line "error of scores, $name"
done

for column; do
	choose leverage
	choose approx-leverage
	for method in top approx-top; do
		row="$data $method"
		if [ "$method" = top ]; then scores=exact; else scores=estimates; fi
		head -n "$column" "$work/$scores" | cut -d ' ' -f 1 | sort >"$work/chosen.$method"
		keep "$work/chosen.$method" "$work/rows" >"$work/train"
		keep "$work/chosen.$method" "$work/rows.t" >"$work/test"
		train_and_test
	done
	comm -12 "$work/chosen.top" "$work/chosen.approx-top" | awk -v n="$column" 'END { print 100 * NR / n }' |
		line 'in common with top'
done
