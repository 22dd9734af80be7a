#!/bin/bash
#
# chosen.sh [OPTION...] - test errors of machines that are trained on features of support vectors;
# see common.sh
#
# OPTIONs are those of fs-select.  As published the machine is LIBLINEAR's, of squared hinge loss
# and without a constant, and features are chosen by the support vectors, on which it is trained
# again; ours, with a free constant, of squared hinge loss and of hinge loss stand beside it.
# Column `own` is at most 2048 features; method `full` chooses none.
#
# SPDX-License-Identifier: BSD-3-Clause
. ./common.sh
row="$data $method"

eval "$generate" >"$work/rows"
eval "$test" >"$work/test"
if [ "$method" != full ]; then
	mv "$work/rows" "$work/all"
	mv "$work/test" "$work/test.all"
	fs-select $(reduction "${method% *}") -q --rows sv -k "${column/own/2048}" $train "$@" \
		--seed "$seed" -s "$work/map" "$work/all" "$work/rows"
	fs-select -q -r "$work/map" "$work/test.all" "$work/test"
fi
liblinear-train -q -s 1 $train -e 0.001 "$work/rows" "$work/squared"
randsvm-train -q -t 0 $train --loss squared "$work/rows" "$work/free"
randsvm-train -q -t 0 $train "$work/rows" "$work/hinge"
# errors MODEL QUANTITY
errors() { svm-eval "$work/test" "$1" | awk '/^Accuracy/ { print 100 - $3 }' | line "$2"; }
errors "$work/squared" error
errors "$work/free" 'error, free constant'
errors "$work/hinge" 'error, hinge loss'
if [ "$method" != full ]; then
	grep -c '^[0-9]' "$work/map" | line chosen
fi
