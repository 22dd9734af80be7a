# text.gp - errors on pairs of news groups against columns, from results.tsv to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 640,400 font 'sans,13' background '#ffffff'
set xlabel 'columns'
set ylabel 'errors on new data, percent'
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set key outside right
set logscale x 2
set xtics (32, 64, 128, 256, 512)
set xrange [28:600]
only(m) = sprintf("< awk -F '\\t' '$1 == \"projection-3\" && $2 == \"news %s\" && $4 == \"error\" { print $3, $5 }' results.tsv", m)
full = real(system("awk -F '\\t' '$1 == \"projection-3\" && $2 == \"news full\" && $4 == \"error\" { print $5 }' results.tsv"))
plot full with lines dt 2 lc rgb '#000000' title 'all', \
     only('cw') with linespoints lw 2 pt 7 lc rgb '#0072b2' title 'cw', \
     only('rs') with linespoints lw 2 pt 5 lc rgb '#d55e00' title 'rs', \
     only('fht') with linespoints lw 2 pt 9 lc rgb '#009e73' title 'fht', \
     only('pca') with linespoints lw 2 pt 13 lc rgb '#999999' title 'pca'
