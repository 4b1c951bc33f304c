# Curves of the Credit experiment, one thin line per seed. Variables: out (folder of scripts/credit), memory.
set datafile separator ","
set terminal pngcairo size 1500,1050 font "sans,11"
alphas = "0.01 0.2 0.4"
methods = "sgd-gd sprint-paper sprint-unbiased"
titles = "SGD-GD SPRINT(paper) SPRINT(unbiased)"
seeds = "2024 2025 2026"
colour(m) = m == 1 ? "#d95f02" : m == 2 ? "#7570b3" : "#1b9e77"
trace(a, m, s) = out."/".budget."/".word(alphas, a)."/".word(methods, m)."/seed-".word(seeds, s)."/trace.csv"
set grid lc "#dddddd"
set border lc "#555555"
set key outside bottom center horizontal

# A panel: column `what` of all traces of one alpha against column `against`.
panel = "plot for [m=1:3] for [s=1:3] trace(a, m, s) using against:what with lines lw 1.6 lc rgb colour(m) title (s == 1 ? word(titles, m) : '')"

budget = "epochs"
set output out."/epochs.png"
set multiplot layout 3,3 title "Credit, ".memory.": curves on D(θ) by epoch, three seeds" font ",14"
do for [r=1:3] {
  name = word("loss accuracy gradient_sq", r)
  label = r == 1 ? "loss on D(θ)" : r == 2 ? "accuracy on D(θ)" : "|∇J(θ;θ)|²"
  do for [a=1:3] {
    if (r == 3) { set logscale y; set format y "10^{%L}" } else { unset logscale y; set format y "%g" }
    set title "α = ".word(alphas, a)
    set ylabel label
    set xlabel "epoch"
    what = name
    against = "epoch"
    eval panel
  }
}
unset multiplot

budget = "equal-ifo"
set output out."/equal-ifo.png"
set multiplot layout 2,3 title "Credit, ".memory.": every method with the same IFO, three seeds" font ",14"
do for [r=1:2] {
  do for [a=1:3] {
    if (r == 1) {
      unset logscale y; set format y "%g"; set ylabel "loss on D(θ)"
    } else {
      set logscale y; set format y "10^{%L}"; set ylabel "|∇J(θ;θ)|²"
    }
    set format x "%.0s%c"
    set title "α = ".word(alphas, a)
    set xlabel "IFO (per-sample gradients)"
    what = r == 1 ? "loss" : "gradient_sq"
    against = "ifo"
    eval panel
  }
}
unset multiplot
