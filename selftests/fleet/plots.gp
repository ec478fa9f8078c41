# SPDX-License-Identifier: GPL-2.0-only
# Draws the plots of Documentation/fleets.md from the points in DATA into TO:
#   gnuplot -e 'data="plots.tsv"; to="DIRECTORY"' plots.gp
# A line of the points is a series, x and y.

set terminal svg size 640,400 font "sans-serif,13" background "#ffffff"
set encoding utf8
set datafile separator "\t"
set grid lc "#dddddd"
set border lc "#444444"
set key left top Left reverse
set format x "10^{%T}"
set logscale x
of(series) = sprintf("<awk -F '\t' -v s=%s '$1 == s { print $2 \"\t\" $3 }' %s", series, data)

set xrange [10:1e6]
set output to . "/shared.svg"
set title "The odds that two hosts share a random number"
set xlabel "hosts"
set ylabel "odds"
set logscale y
set format y "10^{%T}"
set yrange [1e-12:2]
set key outside bottom center horizontal
plot of("shared-10") u 1:2 w l lw 2 t "10 bits: snowflake", \
	of("shared-32") u 1:2 w l lw 2 t "32 bits: k96", \
	of("shared-47") u 1:2 w l lw 2 t "47 bits: v1, v6", \
	of("shared-64") u 1:2 w l lw 2 t "64 bits: lex, k128", \
	of("shared-counted") u 1:2 w p pt 7 ps 0.7 lc "black" t "k96, counted"

set xrange [1:1e5]
set output to . "/pairs.svg"
set title "Repeats of two hosts that share their number"
set xlabel "IDs a second of each"
set ylabel "repeats a second"
set yrange [1e-6:1e6]
set key inside left top vertical
plot of("pair-korder") u 1:2 w l lw 2 t "k96, k128", \
	of("pair-snowflake") u 1:2 w l lw 2 dt 2 t "snowflake", \
	of("pair-lex") u 1:2 w l lw 2 t "lex", \
	of("pair-counted") u 1:2 w p pt 7 ps 0.7 lc "black" t "k96, counted"

set output to . "/order.svg"
set title "How far IDs of a fleet are out of order"
set xlabel "ms between the clocks of the hosts"
set ylabel "ms out of order"
set xrange [0.1:3000]
set yrange [0.1:3000]
plot x + 100 w l lw 2 t "bound: clocks and 100 ms", \
	x w l lw 1 dt 2 t "clocks alone", \
	of("order-v7") u 1:2 w p pt 7 ps 0.6 t "v7", \
	of("order-lex-burst") u 1:2 w p pt 9 ps 0.7 t "lex, hosts run ahead"

set output to . "/intervals.svg"
set title "k96 of two hosts that are out of order"
set xlabel "seconds between the two IDs"
set ylabel "part of the pairs"
set format x "%g"
set format y "%g"
unset logscale y
set xrange [1:1500]
set yrange [0:0.55]
set key left bottom
expected(x, i) = x < 2 ** i ? (1 - x / 2 ** i) / 2 : 0
plot for [i = 5:10] expected(x, i) w l lw 1.5 lc i - 4 t sprintf("I = %d", i), \
	for [i = 5:10] of(sprintf("interval-%d", i)) u 1:2 w p pt 7 ps 0.5 lc i - 4 notitle
