#!/bin/bash
# Input that never ends, or is no file of the kind: a sentence, soon, and little memory.
. "$(dirname "$0")/lib.sh"

# ends WORDS ARGUMENT...: sprint fails within its bounds (half a minute on a busy machine, 1 GB), and says the words.
ends() {
  local words=$1 limit=1000000 seconds=30
  shift
  [ "${SPRINT_SANITIZE:-OFF}" = ON ] && limit=unlimited seconds=120 # the sanitizer maps terabytes, and is slow
  (ulimit -v $limit && exec timeout $seconds "$SPRINT" "$@" >stdout 2>stderr </dev/null)
  local got=$?
  n_checks=$((n_checks + 1))
  [ $got = 1 ] && [ "$(wc -l <stderr)" = 1 ] && grep -qF -- "$words" stderr ||
    wrong "sprint $*: exit code $got: $(head -c 300 stderr) (expected '$words')"
}

train_small

### The device of zeros, wherever a file is read
ends "/dev/zero:1: a NUL byte; the file is not UTF-8 text" predict $model /dev/zero
ends "/dev/zero:1: a NUL byte; the file is not UTF-8 text" run c.yaml --set data.path=/dev/zero --out x
ends "/dev/zero: is not a regular file, which a model is" predict /dev/zero data.csv
ends "/dev/zero: is larger than 4 MiB" run /dev/zero
ends "/dev/zero" data info /dev/zero
ends "/dev/zero: is not an NPY file" run c.yaml --set data='{kind: npy, x: /dev/zero, y: /dev/zero}' --out x
ends "/dev/zero: IDX elements of type 0x00" run c.yaml --set data='{kind: idx, images: /dev/zero, labels: /dev/zero}' --out x
ln -s /dev/zero theta.npy
ln -s /dev/zero theta.safetensors
ends "theta.npy: is not an NPY file" grad c.yaml --params theta.npy --out g.npy
ends "theta.safetensors: is not a regular file" grad c.yaml --params theta.safetensors --out g.npy
ends "/dev/zero: is not a regular file" run c.yaml --plugin /dev/zero --out x
mkdir batches
ln -s /dev/zero batches/data_batch_1.bin
ends "batches/data_batch_1.bin" run c.yaml --set data='{kind: cifar10, path: batches}' --out x
mkdir run
ln -s /dev/zero run/run.json
ends "run/run.json" theory c.yaml --check run
ends "/dev/random" predict $model /dev/random

### Lines, rows and blanks without end
# from COMMAND: a FIFO that the command fills for as long as somebody reads.
from() {
  rm -f fifo && mkfifo fifo
  bash -c "$1" >fifo 2>/dev/null &
}
from 'yes a | tr -d "\n"'
ends "fifo:1: no row ends within 64 MB" predict $model fifo
from 'echo income,age; yes 1 | tr "\n" ,'
ends "fifo:2: no row ends within 64 MB" predict $model fifo
from 'echo income,age; printf "\""; yes open'
ends "fifo:2: no row ends within 64 MB" predict $model fifo
from 'echo income,age; yes ""'
ends "no row ends within 64 MB" predict $model fifo
from 'echo income,age,bad; yes 1 | tr "\n" ,'
ends "fifo:2: no row ends within 64 MB" run c.yaml --set data='{kind: stream, path: fifo, label: bad, window: 10}' --out x
from 'yes "# a comment"'
ends "fifo" run fifo
from 'yes'
ends "fifo: is not a regular file, which a model is" predict fifo data.csv

### What is read from a pipe stays what it was
from 'cat data.csv'
runs predict $model fifo
cp stdout piped.csv
runs predict $model data.csv
check "a CSV from a FIFO" cmp -s stdout piped.csv
from 'cat c.yaml'
runs run fifo --out y
check "a config from a FIFO" cmp -s out/trace.csv y/trace.csv

done_testing
