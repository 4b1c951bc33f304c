#!/bin/bash
# Images from files to a trained network: IDX and NPY bytes against the same data as numbers; where files are looked
# for; `sprint data info` and `sprint data export`.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
unset SPRINT_DATA
export XDG_DATA_HOME=$folder/xdg

# 120 images of 4 x 5 in two classes, as uint8 NPY, float64 NPY of b / 255, and IDX plain and gzip.
python3 - <<'END'
import gzip, os, random, struct
random.seed(8)
n, h, w = 120, 4, 5
y = bytes(i % 2 for i in range(n))
x = bytes(min(255, random.randrange(200) + 60 * (i % 2) * (k % 3 == 0)) for i in range(n) for k in range(h * w))

def npy(path, code, shape, data):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (code, shape)).ljust(117) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)

npy("x.npy", "|u1", "(%d, %d, %d)" % (n, h, w), x)
npy("xf.npy", "<f8", "(%d, %d, %d)" % (n, h, w), struct.pack("<%dd" % len(x), *(b / 255 for b in x)))
npy("flat.npy", "<f8", "(%d, %d)" % (n, h * w), struct.pack("<%dd" % len(x), *(b / 255 for b in x)))
npy("y.npy", "|u1", "(%d,)" % n, y)
os.makedirs("xdg/sprint/mnist")
with open("images.idx", "wb") as out:
    out.write(struct.pack(">4I", 0x803, n, h, w) + x)
with open("labels.idx", "wb") as out:
    out.write(struct.pack(">2I", 0x801, n) + y)
with gzip.open("xdg/sprint/mnist/images.gz", "wb") as out:
    out.write(struct.pack(">4I", 0x803, n, h, w) + x)
with gzip.open("xdg/sprint/mnist/labels.gz", "wb") as out:
    out.write(struct.pack(">2I", 0x801, n) + y)
END
cat >images.yaml <<'END'
data: {kind: npy, x: x.npy, y: y.npy}
model: {layers: "dense 6, relu, dense 1"}
method: {kind: sprint, batch: 12}
step: {size: 0.3}
stop: {epochs: 4}
END

### The same images in every form: the same traces and models, byte by byte, in both precisions
for program in "$SPRINT" "$SPRINT_F64"; do
  SPRINT=$program
  runs run images.yaml --out bytes
  runs run images.yaml --out reals --set data.x=xf.npy
  runs run images.yaml --out flat --set data.x=flat.npy --set data.standardize=none
  runs run images.yaml --out idx --set 'data={kind: idx, images: images.idx, labels: labels.idx}'
  runs run images.yaml --out gzip --set 'data={kind: idx, images: mnist/images.gz, labels: mnist/labels.gz}'
  for other in reals flat idx gzip; do
    check "$other: the same trace" cmp -s bytes/trace.csv $other/trace.csv
  done
  check "training has helped" awk -v a="$(cell bytes/trace.csv accuracy -1)" 'BEGIN { exit !(a > 0.6) }'
  runs run images.yaml --out standard --set data.standardize=after
  check "standardize: another trace" test "$(cell standard/trace.csv loss 0)" != "$(cell bytes/trace.csv loss 0)"
  runs data export images.yaml --out exported
  runs data export images.yaml --out flat --set data.x=flat.npy --set data.standardize=none
  check "export: bytes as numbers" cmp -s exported-x.npy flat-x.npy
  check "export: labels" cmp -s exported-y.npy flat-y.npy
  rm -r bytes reals flat idx gzip standard
done

### Where files are looked for: here, --data, SPRINT_DATA, XDG_DATA_HOME
mkdir elsewhere
mv x.npy elsewhere
"$SPRINT" run images.yaml --out out >stdout 2>stderr
equal "not here: exit code" 1 $?
check "not here: where it was looked for" grep -q "x.npy: cannot be read: No such file or directory here, nor in $folder/xdg/sprint$" stderr
runs run images.yaml --out out --data elsewhere
runs grad images.yaml --params out/model.safetensors --out g.npy --data elsewhere
runs init images.yaml --out t.npy --data=elsewhere
runs data export images.yaml --out e --data elsewhere
runs data info x.npy --data elsewhere
SPRINT_DATA=elsewhere runs run images.yaml --out out
SPRINT_DATA=nowhere runs run images.yaml --out out --data elsewhere
mv elsewhere/x.npy xdg/sprint
runs run images.yaml --out out
"$SPRINT" run images.yaml --out out --set 'data={kind: idx, images: mnist/train-images-idx3-ubyte.gz, labels: b}' \
  >stdout 2>stderr
equal "a known set: exit code" 1 $?
check "a known set: how to get it" grep -qF "; \`sprint data get mnist\` fetches it" stderr

### What is in a file
runs data info mnist/labels.gz
check "info: rows" grep -q "^$folder/xdg/sprint/mnist/labels.gz: idx, 120 rows$" stdout
check "info: classes" grep -q '^label, 2 values: 0 60, 1 60$' stdout
runs data info images.idx
check "info: shape" grep -q '^images.idx: idx, 120 rows of 4 x 5$' stdout
printf 'a,b\n1,\n2,x\n1,NA\n1,x\n' >small.csv
runs data info small.csv
check "info: CSV" grep -q '^small.csv: csv, 4 rows, 2 columns$' stdout
check "info: missing" grep -q '^2 missing values$' stdout
check "info: column a" grep -qE '^a +0 +0 +1 +2 +1.25$' stdout
check "info: column b" grep -qE '^b +2 +2 +- +- +-$' stdout
check "info: values" grep -q '^a, 2 values: 1 3, 2 1$' stdout
"$SPRINT" data info nothing.csv >stdout 2>stderr
equal "info: no file" 1 $?
for wrong in "info" "list more" "get" "get one two" "list --out x" "info a --dir b" "export c.yaml --dir b --out d" "get other"; do
  # shellcheck disable=SC2086
  "$SPRINT" data $wrong >stdout 2>stderr
  equal "data $wrong: exit code" 2 $?
  equal "data $wrong: one line" 1 "$(wc -l <stderr)"
done
done_testing
