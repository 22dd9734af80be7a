# selection.gp - errors on pairs of news groups against the number of chosen features; SVG to
# standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 900,400 font 'sans,12' background '#ffffff'
load 'style.gp'
set multiplot layout 1,2
set xlabel 'features'
set xtics (300, 400, 500)
set xrange [280:520]
set yrange [0:*]
set key bottom right samplen 1.5 maxrows 4
full = number(results, 'selection-2', 'news full', 'error')
do for [k in 's u'] {
	set title k eq 's' ? 'supervised' : 'unsupervised'
	set ylabel k eq 's' ? 'errors on new data, percent' : ''
	plot full with lines dt 2 lc rgb '#000000' title 'all', \
	     for [i = 1:8] only(results, 'selection-2', 'news '.word('bss top rrqr rfe leverage lpsvm uniform l1', i).'.'.k, 'error') \
	     with linespoints ls i title word('bss top rrqr rfe leverage lpsvm uniform l1', i)
	unset key
}
unset multiplot
