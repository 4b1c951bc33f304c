# Drawn shapes, each a point, sorted; gnuplot -e "folder='build/shapes'" bench/shapes.gp. Columns of sorted.csv: what (ratio,
# share), rank, kind (table, image), value.
set datafile separator ","
set terminal pngcairo size 1200,480 font "sans,10"
set output folder."/shapes.png"
set multiplot layout 1,2
set grid ytics
set xlabel "shapes, sorted"
set xrange [0:*]
set logscale y
set key top left
of(what, kind, value) = strcol(1) eq what && strcol(3) eq kind ? value : NaN
set ylabel "times as fast as PyTorch at its best"
set ytics add (1.3, 1.8, 4)
plot folder."/sorted.csv" using 2:(of("ratio", "table", $4)) with points pt 7 lc rgb "#1f77b4" title "tables", \
     "" using 2:(of("ratio", "image", $4)) with points pt 5 lc rgb "#d95f02" title "images", \
     1 with lines dashtype 2 lc rgb "#808080" title "PyTorch"
set ylabel "share of sgemm, two threads, %"
set ytics auto
plot folder."/sorted.csv" using 2:(of("share", "table", 100*$4)) with points pt 7 lc rgb "#1f77b4" title "tables", \
     "" using 2:(of("share", "image", 100*$4)) with points pt 5 lc rgb "#d95f02" title "images", \
     85 with lines dashtype 2 lc rgb "#1f77b4" title "85 %", 70 with lines dashtype 2 lc rgb "#d95f02" title "70 %"
unset multiplot
