#!/bin/bash
# Help by any way to ask for it, what was meant by a word that is nearly right, and what each command says it takes.
. "$(dirname "$0")/lib.sh"

# says CODE WORDS ARGUMENT...: exits so, with the words on stderr and nothing on stdout.
says() {
  local code=$1 words=$2
  shift 2
  "$SPRINT" "$@" >stdout 2>stderr </dev/null
  equal "sprint $*: exit code" "$code" $?
  check "sprint $*: '$words' was expected, got '$(cat stderr)'" grep -qF -- "$words" stderr
  check "sprint $*: one sentence" test "$(wc -l <stderr)" = 1
  check "sprint $*: nothing on stdout" test ! -s stdout
}

### The list of commands, and every command's own help, which is the same by both ways
runs help
cp stdout all
for word in --help -h; do
  runs $word
  check "$word is help" cmp -s all stdout
done
grep '^  [a-z]' all | grep -v '^  sprint' | grep -v '^  examples and' | cut -c3-13 | sed 's, *$,,' >commands
check "all commands were found" test "$(wc -l <commands)" -ge 13
# The options that the man page's synopsis has of a command.
synopsis() {
  sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' "$man" | sed 's/\\-/-/g' |
    awk -v command="sprint $1" '/^\.B sprint / { on = $0 == ".B " command } on' | grep -o -- '--[A-Za-z0-9]*' | sort -u | xargs
}
man=$(cd "$OLDPWD" && cd "$(dirname "$0")/../../docs" && pwd)/sprint.1
while read -r command; do
  runs help $command
  cp stdout expected
  check "$command: usage" grep -q "^usage: sprint $command" expected
  runs $command --help
  check "$command --help is help $command" cmp -s expected stdout
  runs $command -h
  check "$command -h is help $command" cmp -s expected stdout
  # Every option of the usage has a line of its own, in the same order, and no other has one.
  equal "$command: options" "$(head -n 1 expected | grep -o -- '--[A-Za-z0-9]*' | xargs)" \
    "$(sed -n 's/^  \(--[A-Za-z0-9]*\).*/\1/p' expected | xargs)"
  equal "$command: options in the man page" "$(head -n 1 expected | grep -o -- '--[A-Za-z0-9]*' | sort -u | xargs)" \
    "$(synopsis "$command")"
done <commands
runs help data
check "a word that several commands begin with" test "$(grep -c '^usage: sprint data' stdout)" = 5
cp stdout expected
runs data --help
check "data --help is help data" cmp -s expected stdout

### Defaults are told
runs help run
check "a default" grep -q -- "--out DIR .*(default: the config's .out., else runs/NAME)" stdout
runs help grad
check "what is needed" grep -q -- '--params FILE .*(needed)' stdout
runs help compare
check "what may be there often" grep -q 'may be there often' stdout
check "lines of a length that terminals have" awk '!/^usage/ && length > 112 { exit 1 }' stdout

### What was meant
says 2 "'rnu' is not a command; did you mean 'run'?" rnu
says 2 "'lsit' is not a command; did you mean 'list'?" lsit
says 2 "did you mean 'compare'?" help comapre
says 2 "did you mean '--help'?" --hlep
says 2 "'data gte' is not a command; did you mean 'data get'?" data gte mnist
says 2 "'data gte' is not a command; did you mean 'data get'?" help data gte
says 2 "'data' goes with get, list, check, info or export" data
says 2 "'data' goes with get, list, check, info or export" data zebra
says 2 "'zebra' is not a command; \`sprint --help\` lists them" zebra
says 2 "unknown option '--thread'; did you mean '--threads'? usage: sprint run" run c.yaml --thread 2
says 2 "unknown option '--deploy'; did you mean '--deployed'?" grad c.yaml --deploy x
says 2 "unknown option '--params': it is for sprint grad" run c.yaml --params x
says 2 "unknown option '--zebra'; usage" run c.yaml --zebra
says 2 "'shfit' is not a family of kinds; did you mean 'shift'?" list shfit
says 2 "option '--out' is there twice" run c.yaml --out a --out b
says 2 "'mnits' is not a known set; did you mean 'mnist'?" data get mnits

### The man page has every command, every option, and no others
man=$(dirname "$0")/../../docs/sprint.1
case $man in /*) ;; *) man=$OLDPWD/$man ;; esac
sed -n '/^.SH SYNOPSIS/,/^.SH DESCRIPTION/s/^.B sprint //p' "$man" | tr -d '\\' | grep -vx help | sort >synopsis
check "the synopsis has all commands, and no other: $(sort commands | diff - synopsis)" cmp -s <(sort commands) synopsis
sed 's/\\//g' "$man" >plain
while read -r command; do
  runs help $command
  for option in $(sed -n 's/^  --\([A-Za-z0-9]*\).*/\1/p' stdout); do
    check "the man page has --$option of $command" grep -q -- "--$option\b" plain
  done
done <commands

done_testing
