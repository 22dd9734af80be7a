# reasons.gp - draw the values of --explain 0 of the first row in the file 'table', SVG to standard
# output: bars by size, those below .05 as one; as the guide makes the file,
#
#     gnuplot -e "table = 'all'" doc/reasons.gp >doc/reasons.svg
#
# SPDX-License-Identifier: BSD-3-Clause
load 'experiments/style.gp'
set terminal svg size 720,480 noenhanced font 'sans-serif,16' background '#ffffff'
set datafile separator '\t'
rows = "< awk -F '\t' 'NR == 1 { split($0, name) } NR == 2 { for (j = 4; j <= NF; j++) " . \
	"if ($j * $j >= .0025) print name[j] \"\t\" $j; else rest += $j } END { print \"all others\t\" rest }' " . \
	table . " | sort -t '\t' -k 2,2g"
set lmargin at screen .36
unset key
set grid noytics xtics lc rgb '#dddddd'
set border 1
set tics scale 0
set xtics .4
set style fill solid
set yzeroaxis lt -1
set xlabel 'added to the decision value'
plot rows using ($2 / 2):0:(abs($2) / 2):(.35):($2 < 0 ? 0xd55e00 : 0x0072b2):ytic(1) \
	with boxxyerror lc rgb variable
