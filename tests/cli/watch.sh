#!/bin/bash
# Runs as they go on: counters, rate and time left of traces that grow; a terminal that is left as it was.
. "$(dirname "$0")/lib.sh"

# rows N: a trace of N epochs, of which each takes half a second; the last line is being written.
rows() {
  echo epoch,ifo,loss
  for ((e = 0; e <= $1; e++)); do echo "$e,$((e * 100000)),$(awk -v e="$e" 'BEGIN { print 1 / (1 + e) }')"; done
  printf '%s' "$(($1 + 1)),1"
}
times() {
  echo epoch,seconds
  for ((e = 0; e <= $1; e++)); do echo "$e,$(awk -v e="$e" 'BEGIN { print e / 2 }')"; done
}

mkdir -p r/sgd/seed-1/unfinished r/sgd/seed-2/unfinished r/sgd/seed-3
rows 12 >r/sgd/seed-1/unfinished/trace.csv
times 12 >r/sgd/seed-1/unfinished/timing.csv
rows 8 >r/sgd/seed-2/unfinished/trace.csv
times 8 >r/sgd/seed-2/unfinished/timing.csv
runs watch r
check "the slowest, its rate, and nobody knows until when" grep -qE '^sgd +0 of 3 +8 +800k +0.1111 +2 +-$' stdout
check "how many" grep -q '^0 of the 3 runs that have begun are finished$' stdout
check "curves" grep -q '^loss on D(theta)$' stdout
check "a pipe gets plain ASCII" test -z "$(LC_ALL=C tr -d '\n -~' <stdout)"
check "of 80 columns" test "$(wc -L <stdout)" -le 80
# A finished run beside them says how many epochs there will be: 32 are left of 40, at two a second.
rows 40 | sed '$d' >r/sgd/seed-3/trace.csv
times 40 >r/sgd/seed-3/timing.csv
echo '{"stop": "epochs"}' >r/sgd/seed-3/run.json
runs watch r
check "time left" grep -qE '^sgd +1 of 3 +8 +800k +0.1111 +2 +16 s$' stdout
touch -d '1 hour ago' r/sgd/seed-2/unfinished/trace.csv
runs watch r
check "a run that stands still" grep -qE '16 s  no row for 60 min$' stdout
mkdir -p far/sgd/seed-1
printf 'epoch,ifo,loss\n0,0,1\n12345,40960,4.871e36\n' >far/sgd/seed-1/trace.csv
runs watch far
check "large numbers stay in their columns" grep -qE '^sgd +0 of 1 +12\.35k +40\.96k +4\.87e\+36 +- +-$' stdout
mkdir -p begun/sgd/seed-1
runs watch begun
check "nothing yet" grep -qE '^sgd +0 of 1 +- +- +- +- +-$' stdout
refused "missing: cannot be read" watch missing
refused "no run is here" watch "$(mkdir -p empty && echo empty)"
refused "no run has a column 'los'" watch r --y los

### A terminal: shown anew, left by q, Ctrl-C or a signal, and then as it was
cat >drive.py <<'END'
import os, pty, select, signal, sys, termios, time
def drive(end):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.execv(sys.argv[1], [sys.argv[1], "watch", "r"])
    before, out, started, sent = termios.tcgetattr(fd), b"", time.time(), False
    while time.time() < started + 60:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                got = os.read(fd, 65536)
            except OSError:
                break
            if not got:
                break
            out += got
        if not sent and out.count(b"\033[H") >= 2:
            sent = True
            os.kill(pid, end) if isinstance(end, int) else os.write(fd, end)
            mode = None
        if sent and b"\033[?1049l" in out:
            mode = termios.tcgetattr(fd)[3]
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    tidy = out.endswith(b"\n") and out.index(b"\033[?25h") > out.index(b"\033[?25l") and out.count(b"\033[?1049l") == 1
    last = out[out.rindex(b"\033[?1049l"):]
    assert code == 0 and tidy and b"1 of the 3 runs that have begun are finished" in last, (end, code, tidy, last)
    assert mode is None or mode == before[3], "the terminal's mode"
    assert "⠁" <= max(out.decode()) , "braille"
for end in (b"q", b"\x03", signal.SIGTERM):
    drive(end)
END
check "terminal" python3 drive.py "$SPRINT"
done_testing
