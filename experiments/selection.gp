# selection.gp - errors on pairs of news groups with features chosen, against their number, from results.tsv to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 640,400 font 'sans,13' background '#ffffff'
set xlabel 'columns'
set ylabel 'errors on new data, percent'
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set key outside right
set xtics (300, 400, 500)
set xrange [280:520]
only(m) = sprintf("< awk -F '\\t' '$1 == \"selection-2\" && $2 == \"news %s.s\" && $4 == \"error\" { print $3, $5 }' results.tsv", m)
full = real(system("awk -F '\\t' '$1 == \"selection-2\" && $2 == \"news full\" && $4 == \"error\" { print $5 }' results.tsv"))
plot full with lines dt 2 lc rgb '#000000' title 'all', \
     for [m in 'bss top rrqr rfe leverage uniform lpsvm'] only(m) with linespoints lw 2 title m
