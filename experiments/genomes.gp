# genomes.gp - errors and seconds against columns on the data of genomes; SVG to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
load 'style.gp'
set terminal svg size 900,440 font font background '#ffffff'
set multiplot layout 1,2 margins .105,.985,.2,.86 spacing .145
set logscale x 2
set xtics (256, 512, 1024, 2048)
set xrange [230:2300]
set xlabel 'columns'
unset key
do for [q in 'error seconds'] {
	set ylabel q eq 'error' ? 'errors on new data, percent' : 'seconds to reduce and train'
	full = number(results, 'projection-2', 'hapmap279 full', q)
	plot full with lines ls 8, \
	     only(results, 'projection-2', 'hapmap279 cw', q) with yerrorlines ls 1, \
	     only(results, 'projection-2', 'hapmap279 rs', q) with yerrorlines ls 2, \
	     only(results, 'projection-2', 'hapmap279 fht', q) with yerrorlines ls 3
}
eval legend
plot NaN with lines ls 8 title 'all features', \
     for [i = 1:3] NaN with linespoints ls i title word('cw rs fht', i)
unset multiplot
