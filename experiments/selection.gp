# selection.gp - errors on pairs of news groups against the number of chosen features; SVG to
# standard output
#
# SPDX-License-Identifier: BSD-3-Clause
load 'style.gp'
set terminal svg size 900,580 font font background '#ffffff'
set multiplot layout 1,2 margins .105,.985,.15,.7 spacing .09
set xlabel 'features'
set xtics (300, 400, 500)
set xrange [280:520]
set yrange [0:*]
unset key
full = number(results, 'selection-2', 'news full', 'error')
methods = 'bss top rrqr rrqr-restart rfe leverage uniform'
do for [k in 's u'] {
	set title k eq 's' ? 'supervised' : 'unsupervised'
	set ylabel k eq 's' ? 'errors on new data, percent' : ''
	lpsvm = number(results, 'selection-2', 'news lpsvm.'.k, 'error')
	plot full with lines ls 8, lpsvm with lines ls 8 dt 3, \
	     for [i = 1:words(methods)] only(results, 'selection-2', 'news '.word(methods, i).'.'.k, 'error') \
	     with linespoints ls i
}
eval legend
plot NaN with lines ls 8 title 'all', NaN with lines ls 8 dt 3 title 'lpsvm', \
     for [i = 1:words(methods)] NaN with linespoints ls i title word(methods, i)
unset multiplot
