#!/bin/bash
#
# loop.sh STEP PROGRAM - cross validation by svm-train -v 5, or randsvm-train, at every STEP-th point of
# the search of search.sh; see common.sh
#
# The column is the number of points that PROGRAM ends within 60 seconds of processor time; others
# do not count.  Quantities are the seconds of processor time that it takes for them, those that
# randsvm-grid takes for them, to which their share of what belongs to no point is added; and the
# largest difference between the rates of both.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh

eval "$generate" | rp-project -q -m none - "$work/rows"
timed "$work/time" 'read|search' randsvm-grid --threads 1 -q -png null -out null --table "$work/table" \
	$train "$work/rows" >"$work/out"

type=$(sed 's/.*-s \([0-4]\).*/-s \1/; t; s/.*//' <<<"$train")
TIMEFORMAT='%U %S'
awk -F '\t' -v step="$1" 'NR > 1 && (NR - 2) % step == 0 {
	printf "%s %s -c %.17g -g %.17g%s\n", $5, $7, 2 ^ $1, 2 ^ $2, $3 == "" ? "" : sprintf(" -p %.17g", 2 ^ $3)
	}' "$work/table" |
	while read -r rate seconds options; do
		theirs=$({ time (ulimit -t 60 && "$2" -v 5 -q $type $options "$work/rows" >"$work/out"); } 2>&1) ||
			continue
		echo "$rate $seconds $(sed -n 's/%$//; s/^Cross Validation .* = //p' "$work/out" | head -n 1) $theirs"
	done >"$work/loop"

row="$data $2 -v 5"
column=$(wc -l <"$work/loop")
awk '{ s += $4 + $5 } END { print s }' "$work/loop" | line seconds
awk -v total="$(<"$work/time")" 'NR == FNR { if (FNR > 1) { all += $7; n++ } next }
	{ s += $2 + (total - all) / n } END { print s }' FS='\t' "$work/table" FS=' ' "$work/loop" |
	line 'seconds of randsvm-grid'
awk '{ d = $1 > $3 ? $1 - $3 : $3 - $1; if (d > most) most = d } END { print most + 0 }' "$work/loop" |
	line 'largest difference of rates'
