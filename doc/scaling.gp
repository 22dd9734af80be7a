# scaling.gp - draw scaling.tsv, SVG to standard output; bench/scaling runs it
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 720,420 font 'sans,13' background '#ffffff'
set datafile separator '\t'
set logscale xy
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set xlabel 'examples'
set ylabel 'seconds to train, reading included'
set xrange [800:1300000]
set format x '10^{%L}'
set format y '%g'
set key outside right center spacing 1.3
table = 'doc/scaling.tsv'
rows(data, program) = sprintf("< awk -F '\t' '$1 == \"%s\" && $3 == \"%s\"' %s", data, program, table)
plot rows('twonorm -g 0.05', 'svm-train') using 2:4 with linespoints lw 2 pt 7 ps .6 dt 2 lc rgb '#999999' title 'svm-train, twonorm', \
     rows('a9a ', 'svm-train') using 2:4 with linespoints lw 2 pt 5 ps .6 dt 2 lc rgb '#999999' title 'svm-train, a9a', \
     rows('a9a -t 0', 'svm-train') using 2:4 with linespoints lw 2 pt 9 ps .7 dt 2 lc rgb '#999999' title 'svm-train, a9a, linear', \
     rows('twonorm -g 0.05', 'randsvm-train') using 2:4 with linespoints lw 2 pt 7 ps .6 lc rgb '#0072b2' title 'randsvm-train, twonorm', \
     rows('a9a ', 'randsvm-train') using 2:4 with linespoints lw 2 pt 5 ps .6 lc rgb '#009e73' title 'randsvm-train, a9a', \
     rows('a9a -t 0', 'randsvm-train') using 2:4 with linespoints lw 2 pt 9 ps .7 lc rgb '#d55e00' title 'randsvm-train, a9a, linear'
