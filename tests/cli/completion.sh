#!/bin/bash
# sprint completion: the scripts in the shells that they are for; what a shell that is not here would say is skipped.
. "$(dirname "$0")/lib.sh"
touch lender.yaml other.yml table.csv model.safetensors plugin.so
mkdir folder
touch "with blank.csv"

for shell in bash zsh fish; do
  runs completion $shell
  cp stdout "script.$shell"
done
"$SPRINT" completion tcsh >stdout 2>stderr
equal "another shell: exit code" 2 $?
check "another shell: the sentence" grep -q "'tcsh' is not bash, zsh or fish" stderr

### bash: words as readline cuts them, at '=' too
. ./script.bash
# answers WORD...: one a line; the last word is what is being typed.
answers() {
  COMP_WORDS=(sprint "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _sprint
  printf '%s\n' "${COMPREPLY[@]}"
}
# completes EXPECTED WORD...: these are all answers, sorted.
completes() { equal "bash: sprint ${*:2}" "$1" "$(answers "${@:2}" | sort | xargs)"; }
# offers EXPECTED WORD...: it is among the answers.
offers() { check "bash: sprint ${*:2} offers $1, got '$(answers "${@:2}" | xargs)'" grep -qxF -- "$1" <(answers "${@:2}"); }
completes "report reproduce run" r
completes "data" dat
completes "check export get info list" data ""
completes "get" data g
completes "cifar10 credit" data get c
completes "run" help ru
completes "folder lender.yaml other.yml" run ""
completes "lender.yaml" run l
completes "--seed --seeds --set" run lender.yaml --se
completes "--budget --by" compare --b
completes "folder" run lender.yaml --out f
completes "folder plugin.so" run --plugin ""
completes "shift.budget=" run --set shift.bud
completes "coupled" run --set method.correction = c
completes "coupled" run --set = method.correction = c
completes "method.correction=coupled" run --set method.correction=c
completes "paper" run lender.yaml --set step.size = 0.1 --set method.correction = p
completes "grad grad-mean" compare lender.yaml --by g
completes "grad grad-mean" compare lender.yaml --by = g
completes "ifo=" compare lender.yaml --budget i
completes "shifts steps stops" list s
completes "bash" completion b
completes "--quick" compare lender.yaml --q
completes "model.safetensors" predict m
offers "with blank.csv" predict model.safetensors w
completes "table.csv" predict model.safetensors t
completes "--out" data export lender.yaml --o
offers "mnist" reproduce ""
offers "method=sprint" run --set method=
offers "seeds=" run --set s
# Every command and every option of its help can be completed.
runs help
grep '^  [a-z]' stdout | grep -v '^  sprint' | grep -v '^  examples and' | cut -c3-13 | sed 's, *$,,' >commands
while read -r command; do
  set -- $command
  offers "${!#}" "$@"
  "$SPRINT" help $command >help.txt
  for option in $(sed -n 's/^  \(--[A-Za-z0-9]*\).*/\1/p' help.txt); do offers "$option" $command "$option"; done
done <commands

### fish and zsh, asked as their own users ask them
if command -v fish >/dev/null; then
  # fish_offers WORD LINE
  fish_offers() {
    n_checks=$((n_checks + 1))
    HOME=$PWD XDG_CONFIG_HOME=$PWD fish --no-config -c "source script.fish; complete -C '$2'" 2>fish.err | cut -f1 | grep -qxF -- "$1" ||
      fail "fish: '$2' does not offer '$1': $(cat fish.err)"
  }
  fish_offers run 'sprint ru'
  fish_offers data 'sprint da'
  fish_offers export 'sprint data e'
  fish_offers credit 'sprint data get c'
  fish_offers lender.yaml 'sprint run l'
  fish_offers --budget 'sprint compare lender.yaml --b'
  fish_offers shift.budget= 'sprint run lender.yaml --set shift.bu'
  fish_offers method.correction=paper 'sprint run lender.yaml --set method.correction=p'
  fish_offers shifts 'sprint list s'
  fish_offers grad-mean 'sprint-f64 compare lender.yaml --by gr'
else
  echo "completion: fish is not here: skipped"
fi
if command -v zsh >/dev/null; then
  mkdir functions
  cp script.zsh functions/_sprint
  cat >ask.py <<'END'
"""ask.py LINE: types LINE and a tab into zsh, and prints what stands on the line then."""
import os, pty, re, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="", ZDOTDIR=os.getcwd())
    os.execvp("zsh", ["zsh", "-f", "-i"])
def read(until, limit=60):
    text, end = "", time.time() + limit
    while until not in text and time.time() < end:
        if select.select([fd], [], [], 0.5)[0]:
            try:
                text += os.read(fd, 65536).decode(errors="replace")
            except OSError:
                break
    return text
os.write(fd, b"PS1='READY> '; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; "
             b"setopt no_beep no_list_ambiguous; show() { BUFFER=\"print -r -- '<<'${(q)BUFFER}'>>'\"; zle accept-line }; "
             b"zle -N show; bindkey '^G' show; print -r -- SET'UP'\n")
read("SETUP")
os.write(fd, sys.argv[1].encode() + b"\t\x07")
print(re.findall(r"<<(.*?)>>", read(">>\r\n").replace("\r", ""))[-1].replace("\\", ""))
END
  # zsh_makes LINE TYPED: a tab makes the line of what was typed.
  zsh_makes() {
    equal "zsh: '$2' and a tab" "$1" "$(python3 ask.py "$2" | sed 's/ *$//')"
  }
  zsh_makes 'sprint predict' 'sprint pred'
  zsh_makes 'sprint data export' 'sprint data e'
  zsh_makes 'sprint data get mnist' 'sprint data get mn'
  zsh_makes 'sprint run lender.yaml' 'sprint run l'
  zsh_makes 'sprint compare lender.yaml --budget=' 'sprint compare lender.yaml --bu'
  zsh_makes 'sprint run lender.yaml --set shift.budget=' 'sprint run lender.yaml --set shift.bud'
  zsh_makes 'sprint list shifts' 'sprint list sh'
  zsh_makes 'sprint-f64 completion zsh' 'sprint-f64 completion z'
else
  echo "completion: zsh is not here: skipped"
fi

done_testing
