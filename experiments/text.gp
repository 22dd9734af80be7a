# text.gp - errors on pairs of news groups against columns; SVG to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
load 'style.gp'
set terminal svg size 900,520 font font background '#ffffff'
set multiplot layout 1,2 margins .105,.985,.17,.72 spacing .09
set xlabel 'columns'
set logscale x 2
set xtics (32, 64, 128, 256, 512)
set xrange [28:600]
set yrange [0:25]
unset key
set title 'news: 240 texts of each pair'
set ylabel 'errors on new data, percent'
full = number(results, 'projection-3', 'news full', 'error')
plot full with lines ls 8, \
     only(results, 'projection-3', 'news cw', 'error') with linespoints ls 1, \
     only(results, 'projection-3', 'news rs', 'error') with linespoints ls 2, \
     only(results, 'projection-3', 'news fht', 'error') with linespoints ls 3, \
     only(results, 'projection-3', 'news pca', 'error') with linespoints ls 4
set title 'normalised: all texts'
set ylabel ''
full = number(results, 'projection-3', 'normalised full', 'error')
plot full with lines ls 8, \
     only(results, 'projection-3', 'normalised cw', 'error') with linespoints ls 1, \
     only(results, 'projection-3', 'normalised cw recovered', 'error') with linespoints ls 5
eval legend
plot NaN with lines ls 8 title 'all', for [i = 1:4] NaN with linespoints ls i title word('cw rs fht pca', i), \
     NaN with linespoints ls 5 title 'cw, recovered'
unset multiplot
