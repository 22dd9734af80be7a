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
set key bottom right samplen 1 maxrows 3 font ",11"
full = number(results, 'selection-2', 'news full', 'error')
methods = 'bss top rrqr rrqr-restart rfe leverage uniform'
do for [k in 's u'] {
	set title k eq 's' ? 'supervised' : 'unsupervised'
	set ylabel k eq 's' ? 'errors on new data, percent' : ''
	lpsvm = number(results, 'selection-2', 'news lpsvm.'.k, 'error')
	plot full with lines dt 2 lc rgb '#000000' title 'all', lpsvm with lines dt 3 lc rgb '#000000' title 'lpsvm', \
	     for [i = 1:words(methods)] only(results, 'selection-2', 'news '.word(methods, i).'.'.k, 'error') \
	     with linespoints ls i title word(methods, i)
	unset key
}
unset multiplot
