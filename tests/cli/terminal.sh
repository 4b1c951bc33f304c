#!/bin/bash
# What commands show on a terminal alone: colours and dots where it has them, how far they are, and a window that is small.
. "$(dirname "$0")/lib.sh"
train_small
cat >long.yaml <<'END'
data: {kind: lending, n: 400}
shift: {kind: strategic, good: 0}
stop: {epochs: 10000000}
END
cat >drive.py <<'END'
import fcntl, os, pty, select, signal, struct, sys, termios, time

SPRINT = sys.argv[1]


def drive(arguments, answers=(), rows=40, columns=100, **environment):
    """Output and exit code on a terminal. Answers: what is typed, or the signal that is sent, once a text was seen."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        for name in ("LC_ALL", "LC_CTYPE", "LANG", "TERM", "NO_COLOR"):
            os.environ.pop(name, None)
        os.environ.update(environment)
        os.execv(SPRINT, [SPRINT] + arguments)
    out, answers, started = b"", list(answers), time.time()
    while time.time() < started + 100:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                got = os.read(terminal, 65536)
            except OSError:
                break
            if not got:
                break
            out += got
        while answers and answers[0][0] in out:
            wanted, answer = answers.pop(0)
            os.kill(pid, answer) if isinstance(answer, int) else os.write(terminal, answer)
    else:
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert not answers, (arguments, answers, out)
    return out.decode(), code


def look(**environment):
    out, code = drive(["plot", "out"], **environment)
    assert code == 0, out
    return "\033[" in out, any("⠀" <= c <= "⣿" for c in out)


able = dict(TERM="xterm-256color")
for environment, colour, braille in (
        (dict(able, LC_ALL="C.UTF-8"), True, True), (dict(able, LC_ALL="", LC_CTYPE="de_DE.utf8"), True, True),
        (dict(able, LANG="C.UTF8"), True, True), (dict(able, LC_ALL="C", LANG="C.UTF-8"), True, False), (able, True, False),
        (dict(able, LC_ALL="C.UTF-8", NO_COLOR="1"), False, True), (dict(able, NO_COLOR=""), True, False),
        (dict(TERM="dumb", LC_ALL="C.UTF-8"), False, False), (dict(LC_ALL="C.UTF-8"), False, False)):
    assert look(**environment) == (colour, braille), (environment, look(**environment))

wide, _ = drive(["plot", "out"], columns=60, NO_COLOR="1", **able)
assert max(map(len, wide.splitlines())) <= 60, wide
wide, _ = drive(["plot", "out"], columns=0, rows=0, NO_COLOR="1", **able)
assert max(map(len, wide.splitlines())) <= 90, wide

out, code = drive(["check", "c.yaml"], **able)
assert code == 0 and "\r0 of 1 checked" in out and out.index("\r\033[K") > out.index("checked"), out
out, code = drive(["landscape", "c.yaml", "--model", "out/model.safetensors", "--grid", "5"], **able)
assert code == 0 and "path: 100 %" in out and "\r\033[K" in out, out

out, code = drive(["run", "long.yaml", "--out", "stopped"], [(b" %", signal.SIGINT)], **able)
assert code == 130 and "stopping: what is under way" in out and "\033[" in out, (code, out)
assert os.path.exists("stopped/unfinished/checkpoint"), os.listdir("stopped")
out, code = drive(["landscape", "c.yaml", "--model", "out/model.safetensors", "--grid", "301"], [(b"landscape: ", signal.SIGINT)], **able)
assert code == 130 and "interrupted; nothing was drawn" in out, (code, out)
out, code = drive(["watch", "out", "--y", "loss,accuracy"], [(b"q ends", b"x"), (b"too small for the rest", b"Q")], rows=8, **able)
assert code == 0 and "[the window is too small for the rest]" in out, (code, out)
END
check "terminal" python3 drive.py "$SPRINT"
done_testing
