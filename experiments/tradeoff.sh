#!/bin/bash
#
# tradeoff.sh - the error on the test rows after a projection to `column` columns, or with all
# features if the method is "all"; see common.sh
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
row=$method

eval "$generate" >"$work/data"
if [ "$method" = all ]; then
	randsvm-train -q -t 0 $train "$work/data" "$work/model"
	eval "$test" >"$work/test"
else
	rp-project $(reduction "$method") -k "$column" --seed "$seed" --binary \
		-s "$work/map" "$work/data" "$work/rows"
	randsvm-train -q -t 0 $train "$work/rows" "$work/model"
	eval "$test" | rp-project -r "$work/map" --binary - "$work/test"
fi
measures "$work/test" "$work/model"
