# projection.gp - our and published errors, and seconds, against columns on separable data; SVG to
# standard output
#
# SPDX-License-Identifier: BSD-3-Clause
load 'style.gp'
set terminal svg size 900,780 font font background '#ffffff'
set multiplot layout 2,3 margins .12,.985,.1,.81 spacing .065,.09
set logscale x 2
set xtics (256, 512, 1024)
set xrange [230:1150]
unset key
do for [d in 'D1 D2 D3'] {
	set title d
	set ylabel d eq 'D1' ? 'errors on new data, percent' : ''
	set yrange [0:32]
	full = number(results, 'projection-1', d.' full', 'error')
	published = number('published.tsv', 'projection-1', d.' full', 'error')
	plot full with lines ls 8, \
	     only(results, 'projection-1', d.' cw', 'error') with linespoints ls 1, \
	     only(results, 'projection-1', d.' rs', 'error') with linespoints ls 2, \
	     only(results, 'projection-1', d.' fht', 'error') with linespoints ls 3, \
	     only('published.tsv', 'projection-1', d.' rs', 'error') with linespoints ls 7 dt 3 pt 4, \
	     published with lines ls 7 dt 3
}
unset title
set xlabel 'columns'
set logscale y
set yrange [0.005:10]
set format y '%g'
do for [d in 'D1 D2 D3'] {
	set ylabel d eq 'D1' ? 'seconds' : ''
	full = number(results, 'projection-1', d.' full', 'seconds')
	plot full with lines ls 8, \
	     only(results, 'projection-1', d.' cw', 'seconds') with linespoints ls 1, \
	     only(results, 'projection-1', d.' rs', 'seconds') with linespoints ls 2, \
	     only(results, 'projection-1', d.' fht', 'seconds') with linespoints ls 3
}
eval legend
plot NaN with lines ls 8 title 'all features', \
     for [i = 1:3] NaN with linespoints ls i title word('cw rs fht', i), \
     NaN with linespoints ls 7 dt 3 pt 4 title 'published: rs', NaN with lines ls 7 dt 3 title 'published: all'
unset multiplot
