# genomes.gp - errors and seconds against columns on the data of genomes; SVG to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 900,340 font 'sans,12' background '#ffffff'
load 'style.gp'
set multiplot layout 1,2
set logscale x 2
set xtics (256, 512, 1024, 2048)
set xrange [230:2300]
set xlabel 'columns'
set key top right samplen 1.5
do for [q in 'error seconds'] {
	set ylabel q eq 'error' ? 'errors on new data, percent' : 'seconds to reduce and train'
	full = number(results, 'projection-2', 'hapmap279 full', q)
	plot full with lines dt 2 lc rgb '#000000' title 'all features', \
	     only(results, 'projection-2', 'hapmap279 cw', q) with yerrorlines ls 1 title 'cw', \
	     only(results, 'projection-2', 'hapmap279 rs', q) with yerrorlines ls 2 title 'rs', \
	     only(results, 'projection-2', 'hapmap279 fht', q) with yerrorlines ls 3 title 'fht'
	unset key
}
unset multiplot
