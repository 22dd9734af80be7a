# tradeoff.gp - the picture of tradeoff.tsv, to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 640,400 font 'sans,13' background '#ffffff'
set xlabel 'columns after projection'
set ylabel 'errors on new data, percent'
set logscale x 2
set xrange [3.5:140]
set yrange [14:26]
set xtics (4, 8, 16, 32, 64, 123)
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set key top right
only(m) = sprintf("< awk '$1 == \"%s\"' tradeoff.tsv", m)
all = real(system("awk '$1 == \"all\" { print $3 }' tradeoff.tsv"))
plot all with lines lw 1 dt 2 lc rgb '#000000' title 'all 123 features', \
     only('cw') using 2:3:4 with yerrorlines lw 2 pt 7 ps 0.6 lc rgb '#0072b2' title 'cw', \
     only('rs') using ($2 * 1.03):3:4 with yerrorlines lw 2 pt 5 ps 0.6 lc rgb '#d55e00' title 'rs', \
     only('fht') using ($2 / 1.03):3:4 with yerrorlines lw 2 pt 9 ps 0.7 lc rgb '#009e73' title 'fht', \
     only('pca') using 2:3 with linespoints lw 2 pt 13 ps 0.7 lc rgb '#999999' title 'pca'
