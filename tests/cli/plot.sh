#!/bin/bash
# Figures of results: means and errors against numbers worked out here, folders of every condition, names that mean
# something to gnuplot, text in pipes.
. "$(dirname "$0")/lib.sh"

# run_of FOLDER STOP EPOCH,LOSS...: a run's files by hand; STOP "": no run.json yet.
run_of() {
  local folder=$1 stop=$2 rows=() record=
  shift 2
  for row; do rows+=("${row%,*},$((${row%,*} * 10)),${row#*,},0.5,${row#*,}"); done
  [ -z "$stop" ] || record="{\"name\": \"x\", \"stop\": \"$stop\", \"settings\": {\"name\": \"credit\", \"method\": {\"kind\": \"sgd\"}}}"
  hand_run "$folder" "$record" epoch,ifo,loss,accuracy,gradient_sq "${rows[@]}"
}

### Means and errors: losses 1, 2, 6 have the mean 3 and the error sqrt(7/3)
run_of r/alpha-0.2/sgd/seed-1 epochs 0,9 1,1
run_of r/alpha-0.2/sgd/seed-2 epochs 0,9 1,2
run_of r/alpha-0.2/sgd/seed-3 epochs 0,9 1,6
run_of r/alpha-0.2/sgd/seed-4 diverged 0,9 1,1e9
run_of r/alpha-20/sgd/seed-1 epochs 0,5 1,4
run_of r/alpha-20/sprint-paper/seed-1 epochs 0,5 1,3
"$SPRINT" plot r >stdout 2>stderr || fail "plot r: $(cat stderr)"
equal "one complaint" 1 "$(wc -l <stderr)"
check "who diverged is said" grep -q 'r/alpha-0.2/sgd/seed-4: diverged, and is left out of the means' stderr
check "and below the panel" grep -q '^ *sgd: 1 of 4 diverged$' stdout
check "mean and error" grep -q '^ *\* sgd  *3 +- 1.528, 3 seeds$' stdout
check "one seed has no error" grep -q '^ *+ sprint-paper  *3, 1 seed$' stdout
check "a pipe gets plain ASCII" test -z "$(LC_ALL=C tr -d '\n -~' <stdout)"
check "of 80 columns" test "$(wc -L <stdout)" -le 80
check "points in the order of numbers" test "$(grep -n 'alpha = 0.2' stdout | cut -d: -f1)" -lt "$(grep -n 'alpha = 20' stdout | cut -d: -f1)"
rm -r r/alpha-0.2/sgd/seed-4
runs plot r --x ifo --y accuracy,grad --log
check "rows for each measure" test "$(grep -c '^accuracy on D(theta) at\|^|grad J(theta;theta)|^2 at .*, logarithmic$' stdout)" = 4

### Who diverged is told line by line: as one line, it went across the panels beside it, or off the screen
for method in sgd-gd sprint-paper sprint-unbiased a b c; do
  run_of "v/alpha-1/$method/seed-1" diverged 0,9 1,1e9
  run_of "v/alpha-2/$method/seed-1" epochs 0,9 1,8
done
"$SPRINT" plot v >stdout 2>stderr || fail "plot v: $(cat stderr)"
check "of 80 columns with notes" test "$(wc -L <stdout)" -le 80
equal "a line for each" 6 "$(grep -c '^ *[a-z-]*: 1 of 1 diverged$' stdout)"

### What is asked for wrongly
refused "no run has a column 'los'; did you mean 'loss'?" plot r --y los
refused "no run has a column 'secs'" plot r --x secs
refused "column 'loss' does not only grow (r/alpha-0.2/sgd/seed-1), and nothing can be drawn against it" plot r --x loss
refused "no run is here" plot "$(mkdir -p empty && echo empty)"
refused "missing: cannot be read" plot missing
refused "is not a folder" plot "$SPRINT"
refused "a figure's name ending in .svg, .png or .pdf was expected" plot r --out fig.jpg
refused "'mnits' is no experiment of the paper" plot r --paper mnits
refused "is a run of 'credit', where one of 'mnist' was expected" plot r --paper mnist
refused "--paper says what is drawn" plot r --paper credit --y loss
refused "an argument is missing" plot
check "nothing was written" test -z "$(find . -name '*.gp' -o -name '*.dat' -o -name 'fig*')"

### Runs in any condition: what can be drawn is drawn, what cannot is said
run_of c/a/seed-1 "" 0,9 1,8
printf '2,20,7,0.5' >>c/a/seed-1/trace.csv # being written
run_of c/a/seed-2 epochs 0,9 1,8 2,7
sed -i 's/^1,10,8/1,10,eight/' c/a/seed-2/trace.csv
run_of c/a/seed-3 epochs 0,9 1,8
echo '{"stop": ' >c/a/seed-3/run.json
run_of c/a/seed-4 requested 0,9 1,8
mkdir -p c/a/seed-5 c/a/seed-6
echo '{"stop": "epochs"}' >c/a/seed-6/run.json
"$SPRINT" plot c >stdout 2>stderr || fail "plot c: $(cat stderr)"
equal "complaints" 5 "$(wc -l <stderr)"
check "a line" grep -q "c/a/seed-2/trace.csv:3: column 'ifo': '10' \|c/a/seed-2/trace.csv:3: column 'loss': 'eight' is not a number; the rows above it are used" stderr
check "a record" grep -q 'c/a/seed-3/run.json: cannot be read as the record of a run' stderr
check "an interrupt" grep -q 'c/a/seed-4: was interrupted, and counts as far as it goes' stderr
check "nothing yet" grep -q 'c/a/seed-5: has no trace.csv yet' stderr
check "no trace" grep -q 'c/a/seed-6: has a run.json, and no trace.csv' stderr
check "what is there is drawn" grep -q '\* a  *8 +- 0, 3 seeds' stdout
run_of d/a/seed-1 diverged 0,9 1,8
"$SPRINT" plot d >stdout 2>stderr
equal "exit code where all diverged" 1 $?
check "all diverged" grep -q 'd: all 1 runs diverged, and have no mean to draw' stderr
run_of z/a/seed-1 epochs 0,-1 1,0
refused "column 'loss' has no values above 0 in these runs" plot z --log
run_of z/b/seed-1 epochs 0,4 1,0 2,0
run_of z/c/seed-1 epochs 0,0 1,3 2,2
runs plot z --log
check "rows without a place are counted" grep -q '^ *b: 2 rows not above 0$' stdout
check "also of a method that has no others" grep -q '^ *a: 2 rows not above 0$' stdout
check "a beginning at 0 is none" test "$(grep -c 'not above 0' stdout)" = 2
runs plot z
check "on a plain axis all have one" test "$(grep -c 'not above 0' stdout)" = 0

### Figures
if command -v gnuplot >/dev/null; then
  mkdir -p "n/it's \"q\" \\n"; for name in "it's \"q\" \\n" 'a_b^{2}@x' '<script>x' 'méthode-θ'; do run_of "n/$name/seed-1" epochs 0,9 1,8; done
  for ending in svg png pdf; do
    runs plot n --out "pic/it's.$ending"
    equal "what is said" "figure in pic/it's.$ending" "$(cat stdout)"
    check ".$ending" test -s "pic/it's.$ending"
  done
  runs plot n --out n.svg
  check "names are escaped" test -z "$(grep -F '<script>' n.svg)"
  check "and whole" grep -qF '&lt;script>x' n.svg
  check "not set as powers" grep -qF 'a_b^{2}@x' n.svg
  check "theta" grep -qF 'méthode-θ' n.svg
  check "labels" grep -qF 'loss on D(θ)' n.svg
  check "quotes" grep -qF "it's \"q\" \\n" n.svg
  check "numbers stay" test "$(grep -c '^# index' n.dat)" = 4
  cp n.svg before.svg && rm n.svg && gnuplot n.gp 2>/dev/null && check "the script draws again by itself" test -s n.svg
  "$SPRINT" plot v --out v.svg >stdout 2>stderr || fail "plot v --out: $(cat stderr)"
  equal "three notes" 3 "$(grep -c '^set label .*: 1 of 1 diverged' v.gp)"
  check "and how many more" grep -q "^set label 'and 3 more' " v.gp
  # a mean that is flat at 8, on a linear axis 0.4 to either side; one note takes 13 of 260 points above that
  run_of w/b/seed-1 diverged 0,9 1,1e9
  run_of w/a/seed-1 epochs 0,8 1,8
  "$SPRINT" plot w --out w.svg >stdout 2>stderr || fail "plot w --out: $(cat stderr)"
  top=$(sed -n 's/^set yrange \[7.6:\(.*\)\]$/\1/p' w.gp)
  close "notes have room above the curves" 8.442105 "$top" 1e-5
  runs plot r --out r.svg --seeds
  check "panels by point" test "$(grep -c 'α = ' r.svg)" = 2
  check "band" grep -q 'filledcurves' r.gp
  check "mean, error, low, high, seeds" grep -qE '^1 3 1\.5275252316519[0-9]+ 1\.4724747683480[0-9]+ 4\.5275252316519[0-9]+ 3$' r.dat
  # Sixteen points of two measures: four beside each other, each above its second measure, and not a strip of sixteen.
  for point in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do run_of "s/alpha-$point/sgd/seed-1" epochs 0,9 1,8; done
  runs plot s --y loss,grad --out s.png
  check "as wide as four, as high as eight" grep -q '^set terminal pngcairo size 1196\*2,18[0-9][0-9]\*2 ' s.gp
  equal "a title for each point" 16 "$(grep -c "^set title 'α = " s.gp)"
  equal "places" 32 "$(grep '^set [lt]margin' s.gp | paste - - | sort -u | wc -l)"
  equal "axes are named at the left" 8 "$(grep -c '^set ylabel' s.gp)"
  equal "and below" 4 "$(grep -c '^set xlabel' s.gp)"
  runs plot r --paper credit --out paper.png
  equal "both figures" "figure in paper.png figure in paper-gradient.png" "$(tr '\n' ' ' <stdout | sed 's/ $//')"
  check "rows and columns" test "$(grep -c '^plot data' paper.gp)" = 4
  check "its gradient" grep -q "set ylabel '‖∇J(θ;θ)‖²'" paper-gradient.gp
  # The same method looks the same, whoever else is there.
  look() { sed -n "s/^set style line [0-9]* \\(.*\\) # $2\$/\\1/p" "$1"; }
  runs plot r/alpha-20/sprint-paper --out alone.svg
  check "a look" test -n "$(look r.gp sprint-paper)"
  equal "the same look" "$(look r.gp sprint-paper)" "$(look alone.gp sprint-paper)"
  equal "looks differ" 4 "$(sed -n 's/^set style line [0-9]* \([^#]*#[0-9A-F]*.*\) # .*/\1/p' n.gp | sort -u | wc -l)"
else
  echo "$me: gnuplot is not there, its figures were not drawn"
fi
mkdir -p bin && ln -sf "$SPRINT" bin/sprint
PATH=bin "$SPRINT" plot r --out none.svg >stdout 2>stderr
equal "exit code without gnuplot" 1 $?
check "gnuplot is named" grep -q 'gnuplot is not installed (Debian: gnuplot-nox); the figure.s script is ready in none.gp' stderr

### What a run saves, and what is still growing
cat >c.yaml <<'END'
data: {kind: gaussian, n: 60, d: 1}
model: {loss: mean}
shift: {kind: location, epsilon: 0.3}
step: {size: 0.1}
stop: {epochs: 3}
seeds: [1, 2]
grid: {shift.epsilon: [0.1, 0.3]}
compare: [{name: sgd-gd, method: {kind: sgd, batch: 5}}, {name: sprint, method: {kind: sprint, batch: 5}}]
END
runs run c.yaml --out out
for x in epoch ifo samples deployments seconds; do runs plot out --x $x --y grad --log; done
runs plot out/epsilon-0.1 out/epsilon-0.3/sgd-gd
check "of two folders" test "$(grep -c '^loss on D(theta)' stdout)" = 2
done_testing
