#!/usr/bin/env python3
"""A lender's nightly job that trains by `sprint ask` and `sprint tell`, and the lender that it works for.

    nightly.py SPRINT FOLDER [NIGHTS]

The job is `night`: it keeps nothing from one night to the next, and could be another process, or another program, each
time. The lender is made up: people who answer to the model in force by gaming it a little. Everything is written to
FOLDER: people.csv, lender.yaml, the solver in solver/, and what was told, night by night.
"""
import csv
import json
import pathlib
import random
import struct
import subprocess
import sys

CONFIG = """
data: {kind: csv, path: people.csv, label: default, id: customer}
model: {layers: dense 1}
method: {kind: sprint, correction: coupled, batch: 40}
step: {size: 0.3}
deploy: {kind: every, steps: 2}
stop: {epochs: 3}
"""


def read_model(path):
    """The weights of the one layer, and mean and scale of each column, by nothing but the file."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensor = next(t for name, t in header.items() if name.endswith("weight"))
    letter = {"F32": "f", "F64": "d"}[tensor["dtype"]]
    start, end = (8 + length + at for at in tensor["data_offsets"])
    weights = struct.unpack(f"<{(end - start) // struct.calcsize(letter)}{letter}", data[start:end])
    return weights, json.loads(header["__metadata__"]["features"])


class Lender:
    """Customers, the models that were ever in force, and what customers look like under each."""

    def __init__(self, folder, n=200):
        self.folder = pathlib.Path(folder)
        self.models = {}  # deployment -> income's weight, over its scale
        chance = random.Random(1)
        self.people = {}
        for i in range(n):
            income = 1000 + 2000 * chance.random()
            risk = 0.8 - income / 4000 + 0.2 * chance.random()
            self.people[f"C{i:04}"] = (round(income, 2), chance.randint(20, 70), int(risk > 0.4))
        self.write("people.csv", [(name, *self.people[name]) for name in self.people], [])

    def write(self, name, rows, more):
        with open(self.folder / name, "w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["customer", "income", "age", "default"] + more)
            writer.writerows(rows)
        return self.folder / name

    def deploy(self, number, path):
        weights, columns = read_model(path)
        self.models[number] = weights[0] / columns[0]["scale"] * 1e5

    def record(self, name, deployment):
        """What the customer's row is under a deployment: income moves against the score of default."""
        income, age, default = self.people[name]
        return (name, round(income - self.models[deployment], 2), age, default, deployment)


def run(sprint, *arguments):
    done = subprocess.run([sprint, *map(str, arguments), "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def who_came(lender, want, arrivals):
    """Customers of tonight: of everybody those who were not seen yet, of a batch a random draw, the next of it."""
    names = list(lender.people)
    if want["want"] == "batch":
        names = random.Random(want["request"]).sample(names, want["n"])
    return names[want["told"] : want["told"] + min(arrivals, want["missing"])]


def night(sprint, lender, number, arrivals):
    """One night. Returns False once nothing is wanted any more."""
    state = lender.folder / "solver"
    want = run(sprint, "ask", state, "--config", lender.folder / "lender.yaml", "--data", lender.folder)
    if want["want"] == "nothing":
        return False
    if want["deploy"]:
        lender.deploy(want["deployment"], want["model"])
    names = who_came(lender, want, arrivals)
    rows = [lender.record(name, want["deployment"]) for name in names]
    if want["reference"]:
        rows += [lender.record(name, want["reference"]) for name in names]
    told = lender.write(f"night-{number:04}.csv", rows, ["deployment"])
    run(sprint, "tell", state, told, "--request", want["request"])
    return True


def main(sprint, folder, nights=1000):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    lender = Lender(folder)
    (lender.folder / "lender.yaml").write_text(CONFIG)
    chance = random.Random(2)
    for number in range(1, int(nights) + 1):
        if not night(sprint, lender, number, chance.choice([7, 25, 40, 200])):
            print(f"done after {number - 1} nights: {lender.folder}/solver/model.safetensors")
            return 0
    print(f"not done after {nights} nights")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
