# SPDX-License-Identifier: GPL-2.0-only
# Draws a plot of Documentation/fleets.md:   gnuplot -e 'to="FILE.svg"' POINTS plots.gp
# POINTS sets its name and title, and has x and y of each series. Formulas are blue lines, what was
# counted are black dots, and each has its name beside it.

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
set output to
set title title_text noenhanced

if (plot_name eq "shared") {
	set xrange [10:1e6]
	set format x "%.0f"
	set xlabel "hosts"
	set ylabel "odds that two share a random number"
	set format y "10^{%T}"
	set yrange [1e-13:10]
	set label 1 "10 bits: snowflake" at 80,3 tc rgb kuid
	set label 2 "32 bits: k96 (dots: counted)" at 3000,1e-4 tc rgb kuid
	set label 3 "47 bits: v1, v6" at 15000,8e-8 tc rgb kuid
	set label 4 "64 bits: lex, k128" at 40000,2e-12 tc rgb kuid
	plot $shared_10 w l lw 2 lc rgb kuid, $shared_32 w l lw 2 lc rgb kuid, \
		$shared_47 w l lw 2 lc rgb kuid, $shared_64 w l lw 2 lc rgb kuid, \
		$shared_counted u 1:2 w p pt 7 ps 0.5 lc "black"
} else {
	set xlabel "ms between the clocks of the hosts"
	set ylabel "ms out of order"
	set format "%g"
	set xrange [0.1:3000]
	set yrange [0.1:3000]
	set label 1 "the bound: clocks and 100 ms" at 0.15,170 tc rgb kuid
	set label 2 "lex, hosts that run ahead" at 0.8,50 tc "black"
	set label 3 "v7" at 3,1.5 tc "black"
	plot x + 100 w l lw 2 lc rgb kuid, \
		$order_v7 u 1:2 w p pt 7 ps 0.5 lc "black", \
		$order_lex_burst u 1:2 w p pt 9 ps 0.6 lc "black"
}
