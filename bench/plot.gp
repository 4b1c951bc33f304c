# The ratio of each case and the scale; gnuplot -e "folder='build/bench'" bench/plot.gp, with part='scale' that alone
set datafile separator ","
if (!exists("part")) {
  set terminal pngcairo size 1200,600 font "sans,10"
  set output folder."/speed.png"
  set style data histogram
  set style histogram cluster gap 1
  set style fill solid 0.8 border -1
  set logscale y
  set ylabel "seconds of an epoch"
  set xtics rotate by -55 scale 0
  set grid ytics
  set key top left
  set bmargin 10
  plot folder."/results.csv" skip 1 using 5:xtic(stringcolumn(1)." ".stringcolumn(3)." b=".stringcolumn(4)) title "sprint, 1 thread", \
       "" skip 1 using 6 title "sprint, 2 threads", "" skip 1 using 7 title "PyTorch, at its best"
  unset output
  reset
  set datafile separator ","
}
# Columns of scale.csv: n, seconds of an epoch of sgd, of sprint, peak memory, data (bytes).
set terminal pngcairo size 1000,420 font "sans,10"
set output folder."/scale.png"
set multiplot layout 1,2
set logscale x
set format x "10^{%L}"
set xlabel "rows n"
set grid
set ylabel "an epoch, ns per row"
set yrange [0:*]
set key bottom left
plot folder."/scale.csv" skip 1 using 1:(1e9*$2/$1) with linespoints pt 7 title "SGD-GD", \
     "" skip 1 using 1:(1e9*$3/$1) with linespoints pt 5 title "SPRINT"
set logscale y
set ylabel "peak memory / data"
set yrange [1:*]
set ytics add (1.3)
set key top right
plot folder."/scale.csv" skip 1 using 1:($4/$5) with linespoints pt 7 title "the whole process", \
     1.3 with lines dashtype 2 title "1.3"
unset multiplot
