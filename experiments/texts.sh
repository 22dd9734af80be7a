#!/bin/bash
#
# texts.sh PAIR [COUNT] - of rows on standard input those of two classes, at most COUNT of each,
# as 1 and -1
#
# PAIR is "CLASS,CLASS", or the number, from 1, of one of the pairs of news groups that stand in
# place of TechTC-300.
#
# SPDX-License-Identifier: BSD-3-Clause
pairs=(1,16 2,9 3,11 4,14 5,17 6,10 7,18 8,15 12,19 13,20)
case $1 in
*,*) pair=$1 ;;
*) pair=${pairs[$1 - 1]} ;;
esac
awk -v pair="$pair" -v count="${2:-1e9}" 'BEGIN { split(pair, c, ",") }
	($1 == c[1] || $1 == c[2]) && n[$1]++ < count {
		label = $1 == c[1] ? "+1" : "-1"; sub(/^[^ ]*/, label); print }'
