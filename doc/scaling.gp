# scaling.gp - draw scaling.tsv, SVG to standard output; bench/scaling runs it
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 720,480 font 'sans-serif,17' background '#ffffff'
set datafile separator '\t'
set logscale xy
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set xlabel 'examples'
set ylabel 'seconds to train, reading included'
set xrange [800:1300000]
set yrange [.005:400]
set format x '10^{%L}'
set format y '%g'
unset key
set label 1 'svm-train, a9a' at 21000, 28 right tc rgb '#666666'
set label 6 'svm-train, a9a, linear' at 27000, 80 right tc rgb '#8a5a1e'
set label 2 'svm-train, twonorm' at 125000, 160 tc rgb '#666666'
set label 3 'randsvm-train, twonorm' at 1250000, .55 right tc rgb '#0072b2'
set label 4 'randsvm-train, a9a' at 40000, .19 tc rgb '#00795a'
set label 5 'randsvm-train, a9a, linear' at 40000, .06 tc rgb '#b34f00'
table = 'doc/scaling.tsv'
rows(data, program) = sprintf("< awk -F '\t' '$1 == \"%s\" && $3 == \"%s\"' %s", data, program, table)
plot rows('twonorm -g 0.05', 'svm-train') using 2:4 with linespoints lw 2.5 pt 7 ps .9 dt 2 lc rgb '#999999', \
     rows('a9a ', 'svm-train') using 2:4 with linespoints lw 2.5 pt 5 ps .9 dt 2 lc rgb '#999999', \
     rows('a9a -t 0', 'svm-train') using 2:4 with linespoints lw 2.5 pt 8 ps 1 dt 3 lc rgb '#b0742a', \
     rows('twonorm -g 0.05', 'randsvm-train') using 2:4 with linespoints lw 2.5 pt 7 ps .9 lc rgb '#0072b2', \
     rows('a9a ', 'randsvm-train') using 2:4 with linespoints lw 2.5 pt 5 ps .9 lc rgb '#009e73', \
     rows('a9a -t 0', 'randsvm-train') using 2:4 with linespoints lw 2.5 pt 9 ps 1 lc rgb '#d55e00'
