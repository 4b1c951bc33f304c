# The ratio of each case and the scale; gnuplot -e "folder='build/bench'" bench/plot.gp
set datafile separator ","
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
     "" skip 1 using 6 title "sprint, 2 threads", "" skip 1 using 7 title "PyTorch, best of 1 and 2"
reset
set datafile separator ","
set terminal pngcairo size 900,500 font "sans,10"
set output folder."/scale.png"
set logscale xy
set xlabel "rows"
set ylabel "seconds of an epoch"
set y2label "peak memory / data"
set y2tics
set yrange [*:*]
set y2range [0:*]
set key top left
plot folder."/scale.csv" skip 1 using 1:2 with linespoints title "SGD-GD", "" skip 1 using 1:4 with linespoints title "SPRINT", \
     "" skip 1 using 1:($3/$5) axes x1y2 with linespoints title "memory / data (right)"
