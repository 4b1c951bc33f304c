# Curves of `sprint reproduce mnist` or `cifar10`, one thin line per seed.
#   gnuplot -e "out='runs/mnist'; name='MNIST'; seeds='2024 2025 2026'; picture='mnist.png'" scripts/retention.gp
set datafile separator ","
set terminal pngcairo size 1500,1350 font "sans,11"
alphas = "20 50 80"
methods = "sgd-gd sprint-paper sprint-unbiased"
titles = "SGD-GD SPRINT(paper) SPRINT(unbiased)"
columns = "loss accuracy_base gradient_sq effective_classes"
labels = "loss_on_D(θ) accuracy_on_the_base_data |∇J(θ;θ)|² effective_classes"
colour(m) = m == 1 ? "#d95f02" : m == 2 ? "#7570b3" : "#1b9e77"
trace(a, m, s) = out."/alpha-".word(alphas, a)."/".word(methods, m)."/seed-".word(seeds, s)."/trace.csv"
set grid lc "#dddddd"
set border lc "#555555"
set key outside bottom center horizontal
set xlabel "epoch"

set output picture
set multiplot layout 4,3 title name.", retention: curves by epoch, seeds ".seeds font ",14"
do for [r=1:4] {
  if (r == 1 || r == 3) { set logscale y; set format y "10^{%L}" } else { unset logscale y; set format y "%g" }
  set ylabel system("echo '".word(labels, r)."' | tr _ ' '")
  what = word(columns, r)
  do for [a=1:3] {
    set title "α = ".word(alphas, a)
    plot for [m=1:3] for [s=1:words(seeds)] trace(a, m, s) using "epoch":what with lines lw 1.6 lc rgb colour(m) \
      title (s == 1 ? word(titles, m) : '')
  }
}
unset multiplot
