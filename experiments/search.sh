#!/bin/bash
#
# search.sh CHOICE... - search parameters by randsvm-grid; see common.sh
#
# A CHOICE is an option of randsvm-grid, or `grid` for none; the options `train` are those of the grid.
# Quantities are the logarithms of the parameters chosen, their rate, the rate of the model on the
# rows of `test`, the number of points as the column, and the processor time of the search.  If NESTED is
# set, `nested rate` are the rates of that many outer folds, in each of which the whole search is done
# again.  Of the first CHOICE the lines of -out are lines of the table search-points.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh

eval "$generate" >"$work/rows"
eval "$test" >"$work/test"

search()
{
	timed "$work/time" search randsvm-grid --threads 1 -q -png null $train "$@" "$work/rows" >"$work/out"
}

for choice; do
	option=${choice/#grid/}
	row="$data $choice"
	search $option -out "$work/points" --model "$work/model"
	column=$(grep -c -v '^#' "$work/points")
	awk -v names='log2_C log2_gamma log2_epsilon' 'END {
		split(names, name)
		for (i = 1; i < NF; i++)
			print name[i], log($i) / log(2)
		print "rate", $NF }' "$work/out" |
		while read -r name value; do echo "$value" | line "${name/_/ }"; done
	seconds seconds "$work/time"
	measures "$work/test" "$work/model" | awk 'BEGIN { FS = OFS = "\t" }
		$4 == "error" { $5 = 100 - $5 }
		$4 != "r2" { $4 = "rate on new rows"; print }'
	if [ "$NESTED" ]; then
		search $option --nested "$NESTED" -resume "$work/points" -out null
		sed -n 's/.*(left out rate=\(.*\))/\1/p' "$work/out" | line 'nested rate'
	fi
	if [ "$choice" = "$1" ]; then
		awk -v OFS='\t' -v data="$data" -F ' rate=' '{ print "search-points", data, $1, "rate", $2 }' "$work/points"
	fi
done
