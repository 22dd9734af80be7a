# style.gp - styles and functions that all figures share
#
# Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart; each has
# a symbol of its own, too.  The font can be read at half the size.
#
# SPDX-License-Identifier: BSD-3-Clause
font = 'sans-serif,18'
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set style line 1 lw 2.5 pt 7 lc rgb '#0072b2'
set style line 2 lw 2.5 pt 5 lc rgb '#d55e00'
set style line 3 lw 2.5 pt 9 lc rgb '#009e73'
set style line 4 lw 2.5 pt 13 lc rgb '#cc79a7'
set style line 5 lw 2.5 pt 11 lc rgb '#56b4e9'
set style line 6 lw 2.5 pt 3 lc rgb '#e69f00'
set style line 7 lw 2.5 pt 2 lc rgb '#777777'
# a level, not a curve
set style line 8 lw 2 dt 2 lc rgb '#000000'
# legend: what to `eval` behind the panels of a multiplot, before a plot of NaN with the titles of all
legend = "unset xlabel; unset ylabel; unset title; unset tics; unset border; unset logscale; unset grid; " . \
	"set origin 0, 0; set size 1, 1; set lmargin at screen .01; set rmargin at screen .99; " . \
	"set tmargin at screen .99; set bmargin at screen .1; set xrange [0:1]; set yrange [0:1]; " . \
	"set key top center horizontal samplen 2"
# only(): the values of a row and quantity of a table, as lines of column, mean, deviation
only(file, table, row, quantity) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $2 == \"%s\" && $4 == \"%s\" && $3 + 0 > 0 { print $3, $5, $6 + 0 }' %s", table, row, quantity, file)
# number(): the last value of a row and quantity of a table, or NaN if there is none
number(file, table, row, quantity) = real(system(sprintf("awk -F '\\t' '$1 == \"%s\" && $2 == \"%s\" && $4 == \"%s\" { v = $5 } END { print v == \"\" ? \"nan\" : v }' %s", table, row, quantity, file)))
