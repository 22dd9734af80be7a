# randsvm.gp - accuracy against seconds of RandSVM's table 1, from results.tsv to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 640,400 font 'sans,13' background '#ffffff'
set xlabel 'seconds of training, one core'
set ylabel 'errors on new data, percent'
set logscale xy
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
set key outside right
points(m) = sprintf("< awk -F '\\t' '$1 == \"randsvm-1\" && $2 ~ / %s$/ { k = $2 $3; v[k, $4] = $5; keys[k] } END { for (k in keys) print v[k, \"seconds\"], 100 - v[k, \"accuracy\"] }' results.tsv", m)
plot points('exact') with points pt 7 lc rgb '#0072b2' title 'exact', \
     points('paper') with points pt 5 lc rgb '#d55e00' title 'paper', \
     points('budget') with points pt 9 ps 1.2 lc rgb '#009e73' title 'budget', \
     points('uniform 2000') with points pt 13 lc rgb '#999999' title 'uniform, 2000', \
     points('LIBSVM') with points pt 3 lc rgb '#000000' title 'LIBSVM'
