# randsvm.gp - errors against seconds of RandSVM's table 1, a point for each number of rows; SVG to
# standard output
#
# SPDX-License-Identifier: BSD-3-Clause
load 'style.gp'
set terminal svg size 900,510 font font background '#ffffff'
set multiplot layout 1,3 margins .13,.985,.23,.77 spacing .08
set xlabel 'seconds, one core'
set logscale x
set format x '10^{%L}'
set xtics .001, 100
unset key
set offsets graph .1, graph .1, graph .08, graph .08
# seconds, error and size of the point, which grows with the number of rows
points(d, m) = sprintf("< awk -F '\\t' '$1 == \"randsvm-1\" && $2 == \"%s %s\" { v[$3, $4] = $5; keys[$3] } END { for (k in keys) print v[k, \"seconds\"], 100 - v[k, \"accuracy\"], (k + 0 >= 1e6 ? 1.4 : k + 0 >= 1e5 ? .9 : .5) }' %s", d, m, results)
do for [d in 'twonorm ringnorm checkerboard'] {
	set title d
	set ylabel d eq 'twonorm' ? 'errors on new data, percent' : ''
	plot for [i = 1:5] points(d, word('exact paper budget uniform LIBSVM', i)) using 1:2:3 \
	        with points ls i ps variable
}
eval legend
set label 'larger symbols: 1e5 rows, and 1e6' at screen .5, .035 center
plot for [i = 1:5] NaN with points ls i ps 1.2 title word('exact paper budget uniform LIBSVM', i)
unset multiplot
