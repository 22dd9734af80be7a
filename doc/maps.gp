# maps.gp - draw maps.tsv, a panel for each data set, SVG to standard output; bench/maps_tradeoff runs
# it with quantity = 'accuracy' (against seconds of training) or 'size' (against bytes)
#
# SPDX-License-Identifier: BSD-3-Clause
load 'experiments/style.gp'
set datafile separator '\t'
table = 'doc/maps.tsv'
by = quantity eq 'size' ? 7 : 5
# points of a method in a set, by size
method(set, m) = sprintf("< awk -F '\t' '$1 == \"%s\" && $2 == \"%s\"' %s | sort -t '\t' -k 3g", set, m, table)
# step(): between tics, about five of them: 1, 2 or 5 times a power of ten
step(range) = (p = 10 ** floor(log10(range / 4)), f = range / 4 / p, p * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10))
sets = system(sprintf("awk -F '\t' '!/^#/ && !n[$1]++ && $1 !~ /-1e[67]$/ { print $1 }' %s | sort", table))
deep = (words(sets) + 2) / 3
height = 90 + 260 * deep
set terminal svg size 1080,height font 'sans-serif,17' background '#ffffff'
set multiplot layout deep,3 margins screen .085, .97, 80. / height, 1 - 95. / height spacing .07, 85. / height
set logscale x
set format '%g'
set format x (by == 7 ? '%.0s%c' : '%g')
set offsets 0, 0, graph .06, graph .06
set yrange [*:* < 100]
set tics font ',15'
unset key
do for [name in sets] {
	set title name offset 0, -.5
	stats sprintf("< awk -F '\t' '$1 == \"%s\"' %s", name, table) using by:4 nooutput
	set ytics step(STATS_max_y - STATS_min_y)
	set xtics STATS_max_x / STATS_min_x > 3000 ? 100 : 10
	plot method(name, 'budget') using by:4 with linespoints ls 2, \
	     method(name, 'rff') using by:4 with linespoints ls 3, \
	     method(name, 'nystrom') using by:4 with linespoints ls 4, \
	     method(name, 'folded') using (by == 7 ? $7 : NaN):4 with linespoints ls 6, \
	     method(name, 'exact') using by:4 with points ls 1 ps 1.3
}
set label 1 (by == 7 ? 'bytes of model and map' : 'processor seconds to train, map included') \
	at screen .53, 20. / height center
set label 2 'right on test rows, %' at screen .018, .5 center rotate
set offsets 0, 0, 0, 0
unset format
eval legend
set key maxrows 1
plot NaN with points ls 1 ps 1.3 title 'exact', NaN with linespoints ls 2 title 'budget', \
     NaN with linespoints ls 3 title 'rff', NaN with linespoints ls 4 title 'nystrom', \
     NaN with linespoints ls 6 title (by == 7 ? 'folded' : '')
unset multiplot
