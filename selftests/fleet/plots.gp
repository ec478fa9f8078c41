# SPDX-License-Identifier: GPL-2.0-only
# Draws the plots of Documentation/fleets.md from the points in DATA into TO:
#   gnuplot -e 'data="plots.tsv"; to="DIRECTORY"' plots.gp
# A line of the points is a series, x and y. Formulas are blue lines, what was counted are black dots,
# and each has its name beside it.

set terminal svg size 720,400 font "sans-serif,13" background "#ffffff"
set encoding utf8
set datafile separator "\t"
set grid lc "#dddddd"
set border 3 lc "#444444"
set tics nomirror
set rmargin 5
set key off
set logscale xy
kuid = "#2060c0"
of(series) = sprintf("<awk -F '\t' -v s=%s '$1 == s { print $2 \"\t\" $3 }' %s", series, data)

set xrange [10:1e6]
set format x "%.0f"
set output to . "/shared.svg"
set title "Numbers of 10 and 32 bits must be given or claimed; 47 and 64 bits may be random"
set xlabel "hosts"
set ylabel "odds that two share a random number"
set format y "10^{%T}"
set yrange [1e-13:10]
set label 1 "10 bits: snowflake" at 80,3 tc rgb kuid
set label 2 "32 bits: k96 (dots: counted)" at 3000,1e-4 tc rgb kuid
set label 3 "47 bits: v1, v6" at 15000,8e-8 tc rgb kuid
set label 4 "64 bits: lex, k128" at 40000,2e-12 tc rgb kuid
plot for [bits in "10 32 47 64"] of("shared-" . bits) u 1:2 w l lw 2 lc rgb kuid, \
	of("shared-counted") u 1:2 w p pt 7 ps 0.5 lc "black"

unset for [i = 1:4] label i
set output to . "/order.svg"
set title "IDs of a fleet are out of order by no more than its clocks and 100 ms"
set xlabel "ms between the clocks of the hosts"
set ylabel "ms out of order"
set format "%g"
set xrange [0.1:3000]
set yrange [0.1:3000]
set label 1 "the bound: clocks and 100 ms" at 0.15,170 tc rgb kuid
set label 2 "lex, hosts that run ahead" at 0.8,50 tc "black"
set label 3 "v7" at 3,1.5 tc "black"
plot x + 100 w l lw 2 lc rgb kuid, \
	of("order-v7") u 1:2 w p pt 7 ps 0.5 lc "black", \
	of("order-lex-burst") u 1:2 w p pt 9 ps 0.6 lc "black"
