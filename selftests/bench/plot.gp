# SPDX-License-Identifier: GPL-2.0-only
# Draws one table of report.awk:   gnuplot -e 'to="FILE.svg"' NAME.gp plot.gp
# NAME.gp sets the points and:
#   kind        lines: a line for each column, over the rows, which are numbers; bars: one for each
#               row, which has a value, 1 if it repeats IDs, and the text of the value
#   log_axes    x, y or xy
#   nr_columns  of lines: how many columns there are without the row
#   coloured    of bars: 1 if those that repeat IDs have another colour
set terminal svg size 720,(kind eq "bars" ? 90 + 24 * |$points| : 420) \
	font "sans-serif,13" background "#ffffff"
set encoding utf8
set datafile separator "\t"
set datafile missing "-"
set border lc "#444444"
set grid lc "#dddddd"
set title title_text noenhanced
set xlabel x_label
set ylabel y_label
set output to
# The range of bars, which an axis that is set already would limit.
if (kind eq "bars") { stats $points using 2 nooutput }
if (strstrt(log_axes, "x")) { set logscale x; set format x "10^{%T}" }
if (strstrt(log_axes, "y")) { set logscale y; set format y "10^{%T}" }
if (kind eq "bars") {
	set style fill solid 0.7
	set yrange [|$points| - 0.4:-0.6]
	set ytics noenhanced
	set grid noytics
	if (!strstrt(log_axes, "x")) { set format x "%.0f" }
	# A bar on a logarithmic axis can't begin at 0. Leave room for the text behind the longest one.
	logarithmic = strstrt(log_axes, "x")
	start = logarithmic ? 10 ** floor(log10(STATS_min / 2)) : 0
	set xrange [start:logarithmic ? STATS_max * (STATS_max / start) ** 0.25 : STATS_max * 1.15]
	if (coloured) { set key tmargin right horizontal samplen 1.5 } else { set key off }
	array colours[2] = ["#3465a4", "#cc5500"]
	array titles[2] = ["never repeats: yes", "no"]
	plot for [i = 1:1 + coloured] $points \
		using ($3 == i - 1 ? $2 : NaN):0:(start):2:($0 - 0.35):($0 + 0.35) \
		with boxxyerror lc rgb colours[i] title titles[i], \
		$points using 2:0:4:ytic(1) with labels left offset 0.5,0 notitle
} else {
	set key outside right top noenhanced
	if (!strstrt(log_axes, "y")) { set yrange [0:*] }
	plot for [i = 2:nr_columns + 1] $points using 1:i with linespoints lw 2 pt 7 ps 0.5 \
		title columnheader(i)
}
