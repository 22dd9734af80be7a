# projection.gp - errors of the separable data D1 against columns, and those published, from results.tsv to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 640,400 font 'sans,13' background '#ffffff'
set xlabel 'columns'
set ylabel 'errors on new data, percent'
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set key outside right
set xtics (256, 512, 1024)
set xrange [200:1100]
only(file, m) = sprintf("< awk -F '\\t' '$1 == \"projection-1\" && $2 == \"D1 %s\" && $4 == \"error\" { print $3, $5 }' %s", m, file)
full(file) = real(system(sprintf("awk -F '\\t' '$1 == \"projection-1\" && $2 == \"D1 full\" && $4 == \"error\" { print $5 }' %s", file)))
plot full('results.tsv') with lines dt 2 lc rgb '#000000' title 'all 5000', \
     full('published.tsv') with lines dt 3 lc rgb '#999999' title 'all, published', \
     only('results.tsv', 'cw') with linespoints lw 2 pt 7 lc rgb '#0072b2' title 'cw', \
     only('results.tsv', 'rs') with linespoints lw 2 pt 5 lc rgb '#d55e00' title 'rs', \
     only('results.tsv', 'fht') with linespoints lw 2 pt 9 lc rgb '#009e73' title 'fht', \
     only('published.tsv', 'rs') with linespoints dt 3 pt 4 lc rgb '#999999' title 'rs, published'
