# tradeoff.gp - errors on a9a against columns; SVG to standard output
#
# SPDX-License-Identifier: BSD-3-Clause
load 'style.gp'
set terminal svg size 720,480 font font background '#ffffff'
set xlabel 'columns after projection'
set ylabel 'errors on new data, percent'
set logscale x 2
set xrange [3.5:140]
set yrange [14:26]
set xtics (4, 8, 16, 32, 64, 123)
set key top right samplen 2
method(m) = only(results, 'tradeoff', m, 'error')
all = number(results, 'tradeoff', 'all', 'error')
plot all with lines ls 8 title 'all 123 features', \
     method('cw') using 1:2:3 with yerrorlines ls 1 title 'cw', \
     method('rs') using ($1 * 1.03):2:3 with yerrorlines ls 2 title 'rs', \
     method('fht') using ($1 / 1.03):2:3 with yerrorlines ls 3 title 'fht', \
     method('pca') using 1:2 with linespoints ls 4 title 'pca'
