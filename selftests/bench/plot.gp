# SPDX-License-Identifier: GPL-2.0-only
# Draws one table of run/tables.py:   gnuplot -e 'to="FILE.svg"' NAME.gp plot.gp
# NAME.gp sets the points and:
#   kind        lines: a line for each column, over the rows, which are numbers; bars: one for each
#               row, which has a value, 1 if it is of kuid, and the text of the value
#   log_axes    of lines: x, y or xy
#   nr_columns  of lines: how many columns there are without the row
# kuid is blue. A line has its name at its end, a bar its value, so there is no key.
set terminal svg size 720,(kind eq "bars" ? 86 + 24 * |$points| : 400) \
	font "sans-serif,13" background "#ffffff"
set encoding utf8
set datafile separator "\t"
set datafile missing "-"
set border 3 lc "#444444"
set tics nomirror
set label title_text at screen 0.02, screen 1 left offset 0,-1.3 noenhanced
set tmargin 3
set xlabel x_label
set key off
set output to
kuid = "#2060c0"
other = "#999999"
if (kind eq "bars") {
	# The range of bars, which an axis that is set already would limit. Room for the text of the value.
	stats $points using 2 nooutput
	set style fill solid
	set xrange [0:STATS_max * 1.12]
	set yrange [|$points| - 0.4:-0.6]
	set ytics noenhanced scale 0
	unset xtics
	plot for [i = 0:1] $points \
		using ($3 == i ? $2 : NaN):0:(0):2:($0 - 0.35):($0 + 0.35) \
		with boxxyerror lc rgb i ? kuid : other, \
		$points using 2:0:4:ytic(1) with labels left offset 0.5,0
} else {
	set ylabel y_label
	set grid lc "#dddddd"
	set rmargin 16
	set format "%.0f"
	if (strstrt(log_axes, "x")) { set logscale x }
	if (strstrt(log_axes, "y")) { set logscale y } else { set yrange [0:*] }
	last = |$points| - 1
	plot for [i = 2:nr_columns + 1] $points using 1:i with linespoints lw 2 pt 7 ps 0.4 \
		lc rgb word(colours, i - 1), \
		for [i = 2:nr_columns + 1] $points every ::last::last \
		using 1:i:(word(names, i - 1)) with labels left offset 1,0 tc rgb word(colours, i - 1)
}
