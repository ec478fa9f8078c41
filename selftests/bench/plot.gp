# SPDX-License-Identifier: GPL-2.0-only
# Draws one table of report.awk:   gnuplot -e 'to="FILE.svg"' NAME.gp plot.gp
# NAME.gp sets the points and:
#   kind        lines: a line for each column, over the rows, which are numbers; bars: one for each
#               row, of the first column
#   log_axes    x, y or xy
#   nr_columns  how many columns there are without the row
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
if (strstrt(log_axes, "x")) { set logscale x; set format x "10^{%T}" }
if (strstrt(log_axes, "y")) { set logscale y; set format y "10^{%T}" }
if (kind eq "bars") {
	set style fill solid 0.7
	set yrange [|$points| - 1.4:-0.6]
	set ytics noenhanced
	set grid noytics
	# A bar on a logarithmic axis can't begin at 0.
	start = strstrt(log_axes, "x") ? 1 : 0
	set xrange [start:*]
	plot $points using 2:0:(start):2:($0 - 0.35):($0 + 0.35):ytic(1) every ::1 \
		with boxxyerror lc "#3465a4" notitle
} else {
	set key outside right top noenhanced
	plot for [i = 2:nr_columns + 1] $points using 1:i with linespoints lw 2 pt 7 ps 0.5 \
		title columnheader(i)
}
