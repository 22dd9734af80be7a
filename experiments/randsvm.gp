# randsvm.gp - errors against seconds of RandSVM's table 1, a point for each number of rows; SVG to
# standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 900,340 font 'sans,12' background '#ffffff'
load 'style.gp'
set multiplot layout 1,3
set xlabel 'seconds of training, one core'
set logscale x
unset key
points(d, m) = sprintf("< awk -F '\\t' '$1 == \"randsvm-1\" && $2 == \"%s %s\" { v[$3, $4] = $5; keys[$3] } END { for (k in keys) print v[k, \"seconds\"], 100 - v[k, \"accuracy\"] }' %s | sort -n", d, m, results)
do for [d in 'twonorm ringnorm checkerboard'] {
	set title d
	if (d eq 'checkerboard') { set key top right samplen 1 }
	set ylabel d eq 'twonorm' ? 'errors on new data, percent' : ''
	plot for [i = 1:5] points(d, word('exact paper budget uniform LIBSVM', i)) using 1:2 \
	        with linespoints ls i title word('exact paper budget uniform LIBSVM', i)
}
unset multiplot
