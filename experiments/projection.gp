# projection.gp - our and published errors, and seconds, against columns on separable data; SVG to
# standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 900,560 font 'sans,12' background '#ffffff'
load 'style.gp'
set multiplot layout 2,3
set logscale x 2
set xtics (256, 512, 1024)
set xrange [230:1150]
set key bottom left samplen 1.5
do for [d in 'D1 D2 D3'] {
	set title d
	set ylabel d eq 'D1' ? 'errors on new data, percent' : ''
	set yrange [0:32]
	full = number(results, 'projection-1', d.' full', 'error')
	published = number('published.tsv', 'projection-1', d.' full', 'error')
	plot full with lines dt 2 lc rgb '#000000' title 'all features', \
	     published with lines dt 3 lc rgb '#999999' notitle, \
	     only(results, 'projection-1', d.' cw', 'error') with linespoints ls 1 notitle, \
	     only(results, 'projection-1', d.' rs', 'error') with linespoints ls 2 notitle, \
	     only(results, 'projection-1', d.' fht', 'error') with linespoints ls 3 notitle, \
	     only('published.tsv', 'projection-1', d.' rs', 'error') with linespoints dt 3 pt 4 lc rgb '#999999' title 'published: rs, all'
	unset key
}
set xlabel 'columns'
set logscale y
set yrange [0.005:10]
set key top left samplen 1.5
do for [d in 'D1 D2 D3'] {
	unset title
	set ylabel d eq 'D1' ? 'seconds to reduce and train' : ''
	full = number(results, 'projection-1', d.' full', 'seconds')
	plot full with lines dt 2 lc rgb '#000000' title 'all features', \
	     only(results, 'projection-1', d.' cw', 'seconds') with linespoints ls 1 title 'cw', \
	     only(results, 'projection-1', d.' rs', 'seconds') with linespoints ls 2 title 'rs', \
	     only(results, 'projection-1', d.' fht', 'seconds') with linespoints ls 3 title 'fht'
	unset key
}
unset multiplot
