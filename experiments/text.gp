# text.gp - errors on pairs of news groups against columns; SVG to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 900,400 font 'sans,13' background '#ffffff'
load 'style.gp'
set multiplot layout 1,2
set xlabel 'columns'
set logscale x 2
set xtics (32, 64, 128, 256, 512)
set xrange [28:600]
set yrange [0:25]
set key bottom left samplen 1.5
set title 'news: 240 texts of each pair'
set ylabel 'errors on new data, percent'
full = number(results, 'projection-3', 'news full', 'error')
plot full with lines dt 2 lc rgb '#000000' title 'all', \
     only(results, 'projection-3', 'news cw', 'error') with linespoints ls 1 title 'cw', \
     only(results, 'projection-3', 'news rs', 'error') with linespoints ls 2 title 'rs', \
     only(results, 'projection-3', 'news fht', 'error') with linespoints ls 3 title 'fht', \
     only(results, 'projection-3', 'news pca', 'error') with linespoints ls 4 title 'pca'
set key top right
set title 'normalised: all texts'
set ylabel ''
full = number(results, 'projection-3', 'normalised full', 'error')
plot full with lines dt 2 lc rgb '#000000' notitle, \
     only(results, 'projection-3', 'normalised cw', 'error') with linespoints ls 1 title 'cw', \
     only(results, 'projection-3', 'normalised cw recovered', 'error') with linespoints ls 5 title 'cw, recovered'
unset multiplot
