# text.gp - errors on pairs of news groups against columns; SVG to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 640,400 font 'sans,13' background '#ffffff'
load 'style.gp'
set xlabel 'columns'
set ylabel 'errors on new data, percent'
set key outside right
set logscale x 2
set xtics (32, 64, 128, 256, 512)
set xrange [28:600]
full = number(results, 'projection-3', 'news full', 'error')
plot full with lines dt 2 lc rgb '#000000' title 'all', \
     only(results, 'projection-3', 'news cw', 'error') with linespoints ls 1 title 'cw', \
     only(results, 'projection-3', 'news rs', 'error') with linespoints ls 2 title 'rs', \
     only(results, 'projection-3', 'news fht', 'error') with linespoints ls 3 title 'fht', \
     only(results, 'projection-3', 'news pca', 'error') with linespoints ls 4 title 'pca', \
     only(results, 'projection-3', 'news cw recovered', 'error') with linespoints ls 5 title 'cw, recovered'
