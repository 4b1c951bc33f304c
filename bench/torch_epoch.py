#!/usr/bin/python3
"""One epoch of SGD-GD and of SPRINT in PyTorch, written as a good user would: vectorised, data resident as float
tensors, parameters updated in place, no graph where none is needed, one autograd call for both gradients of a step.

    torch_epoch.py PREFIX THETA.safetensors CONFIG INPUT [LAYOUTS]

PREFIX-x.npy and PREFIX-y.npy are what `sprint data export` wrote, THETA what `sprint init` wrote. CONFIG is the config
of the run as JSON: its layers, its loss and its shift (none, strategic, retention) are taken. INPUT is the shape of a
record, 3x32x32 or 784. LAYOUTS are those of images that may be taken, by commas; all of them if it is not given. Then
one JSON request a line on standard input, one JSON answer a line on standard output; bench/run and bench/shapes ask. Every
request may have "threads" (of OpenMP), "blas" (of OpenBLAS) and "cpu" (processor seconds instead of those of the wall):

    {"do": "loss", "gradient": "G.npy"}        J(theta_0; theta_0), and how far its gradient is from G
    {"do": "tune", "method", "batch"}          which layout of images, and which pieces of a pass over everybody, are
                                               fastest at this setting of threads; seconds of a step
    {"do": "epoch", "method": "sgd|paper|coupled|stratified|unbiased", "batch": b, "step": gamma, "max_steps": k,
     "seconds": s}                             seconds of the snapshot and of k steps; the best of s seconds of epochs
    {"do": "reset"}                            back to theta_0
    {"do": "row"}                              a row of the trace at theta, and its seconds; what it knows serves the next
                                               epoch, whose snapshot then costs a copy
    {"do": "train", ..., "epochs": e}          J(theta; theta) after e epochs from theta_0
    {"do": "memory"}                           peak resident kilobytes
"""
import ctypes
import json
import math
import resource
import struct
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch.autograd import grad

PIECES = 4096, 1024, 256, 64  # records at once in a pass over everybody, beside all of them
MOST = 2**29                  # floats of activations that one graph may keep
TRIALS = 2                    # seconds, about, to find the fastest way
LAYOUTS = "planes", "channels last", "planes without oneDNN"


def load_safetensors(path):
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(size))
        body = f.read()
    header.pop("__metadata__", None)
    return [torch.from_numpy(np.frombuffer(body, "<f4", (e["data_offsets"][1] - e["data_offsets"][0]) // 4,
                                           e["data_offsets"][0]).copy()).view(e["shape"]) for e in header.values()]


def network(layers):
    """The function of parameters and records that a layer list of ours is."""
    activations = {"relu": F.relu_, "tanh": torch.tanh_, "gelu": F.gelu}

    def layer(words):
        if words[0] == "conv":
            kernel = [int(k) for k in words[2].split("x")]
            padding = 0 if "valid" in words else [k // 2 for k in kernel]
            stride = int(words[words.index("stride") + 1]) if "stride" in words else 1
            return 2, lambda x, w, b: F.conv2d(x, w, b, stride=stride, padding=padding)
        if words[0] == "dense":
            return 2, lambda x, w, b: F.linear(x.flatten(1), w, b)
        if words[0] == "maxpool":
            return 0, lambda x: F.max_pool2d(x, int(words[1]))
        return 0, activations[words[0]]

    parts = [layer(words.split()) for words in layers.split(",")]

    def net(p, x):
        at = 0
        for count, f in parts:
            x = f(x, *p[at:at + count])
            at += count
        return x
    return net


# Of scores and labels: losses one by one ("none") or summed up, and what people who respond want higher where the first
# class, or a higher value, is good: its log-odds.
LOSSES = {
    "softmax": lambda f, y, how: F.cross_entropy(f, y, reduction=how),
    "logistic": lambda f, y, how: F.binary_cross_entropy_with_logits(f.squeeze(1), y, reduction=how),
    "squared": lambda f, y, how: F.mse_loss(f.squeeze(1), y, reduction=how) / 2,
}
WISHES = {
    "softmax": lambda f: f[:, 0].sum() - torch.logsumexp(f[:, 1:], 1).sum(),
    "logistic": lambda f: -f.sum(),
    "squared": lambda f: f.sum(),
}


class Problem:
    def __init__(self, prefix, theta, config, input_shape, layouts=LAYOUTS):
        with open(config) as f:
            config = json.load(f)
        shift = config["shift"]
        self.shift, self.alpha, self.losses = shift["kind"], shift.get("alpha", 0), shift.get("losses")
        self.rate = shift.get("rate", 0.1)
        self.anew = self.losses in ("exact", "running")  # shares change at every step
        self.loss_kind = config["model"]["loss"]
        self.loss_of, self.wish = LOSSES[self.loss_kind], WISHES[self.loss_kind]
        self.net = network(config["model"]["layers"])
        self.load(prefix, [int(s) for s in input_shape.split("x")])
        self.planes, self.plane_theta0 = self.x, load_safetensors(theta)
        self.layouts = layouts
        self.layout(layouts[0])
        self.setting, self.ways, self.coupled, self.stratified = None, {}, False, False

    def load(self, prefix, shape):
        x, y = self.records(prefix, shape)
        self.x, self.y, self.n, self.sizes = x.float(), y.float() if y.is_floating_point() else y, len(y), None
        if self.loss_kind != "squared":
            self.classes = y.long()
            self.sizes = torch.bincount(self.classes)
            self.starts = torch.cumsum(self.sizes, 0) - self.sizes

    def records(self, prefix, shape):
        """Records and labels as they are in the files, by class, so that a class is a slice."""
        x, y = (torch.from_numpy(np.load(prefix + end)) for end in ("-x.npy", "-y.npy"))
        x = x.view(-1, *shape)
        if self.loss_kind == "squared":
            return x, y.double()
        y = (y > 0).long() if self.loss_kind == "logistic" else y.long()
        order = torch.argsort(y, stable=True)
        return x[order], y[order].double() if self.loss_kind == "logistic" else y[order]

    def loss(self, p, x, y, how="mean"):
        return self.loss_of(self.net(p, x), y, how)

    def layout(self, name):
        """Images as planes, with channels last, or as planes without oneDNN."""
        torch._C._set_mkldnn_enabled(name != "planes without oneDNN")
        self.x, self.theta0, self.rows, self.layout_name = self.planes, self.plane_theta0, self.planes, name
        if name == "channels last":
            self.rows = self.x.permute(0, 2, 3, 1).contiguous()
            self.x = self.rows.permute(0, 3, 1, 2)
            self.theta0 = [t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for t in self.theta0]
        self.reset()

    def pick(self, who):
        """The records of a batch, in the layout: an index_select of `x` itself would leave it."""
        x = self.rows.index_select(0, who)
        return x.permute(0, 3, 1, 2) if self.layout_name == "channels last" else x

    def reset(self):
        self.p = [t.clone().requires_grad_() for t in self.theta0]
        self.known = self.anchor = None  # what is known at theta, and at the newest snapshot, once a row was taken
        self.running = None              # class losses, as batches tell them

    # -- the shifts

    def respond(self, p, x):
        """Everybody in x moves along the gradient of what they want higher; the scores before that."""
        x = x.detach().requires_grad_()
        scores = self.net(p, x)
        g, = grad(self.wish(scores), x)
        return torch.add(x.detach(), g, alpha=self.alpha), scores.detach()

    def by_class(self, values, classes):
        return torch.zeros(len(self.sizes)).index_add_(0, classes, values)

    @torch.no_grad()
    def class_losses(self, p):
        l = torch.cat([self.loss(p, self.x[i:j], self.y[i:j], "none") for i, j in self.pieces()])
        return self.by_class(l, self.classes) / self.sizes

    def shares(self, losses):
        return torch.softmax(-self.alpha * losses, 0)

    def draw(self, shares, size):
        c = torch.multinomial(shares, size, replacement=True)
        return self.starts[c] + (torch.rand(size) * self.sizes[c]).long()

    def hear(self, losses, classes):
        """`running`: each class that was drawn moves its loss towards the mean over its records in the batch."""
        counts = torch.bincount(classes, minlength=len(self.sizes))
        means = self.by_class(losses, classes) / counts
        self.running = torch.where(counts > 0, torch.lerp(self.running, means, self.rate), self.running)

    # -- a pass over everybody: J(theta; theta), its gradient, shares of classes; in pieces, in one of several ways

    def pieces(self, start=0, end=None):
        end, size = end or self.n, self.ways.get(self.setting, ("", self.n))[1]
        return [(i, min(i + size, end)) for i in range(start, end, size)]

    def survey(self, p, row=False, strata=False):
        if self.shift != "retention":
            return self.survey_records(p, 1 / self.n, row)
        if self.losses == "running" and not row and not strata and self.running is not None:
            shares = self.shares(self.running)
            return dict(self.survey_records(p, (shares / self.sizes)[self.classes], row), shares=shares)
        if strata or (row and self.anew) or self.ways.get(self.setting, ("strata",))[0] == "strata":
            return self.survey_strata(p, row)
        return self.survey_graph(p, row)

    def survey_records(self, p, weights, row):
        """Where shares are known before."""
        v, total = {"loss": 0, "base": 0, "right": 0, "right_base": 0}, None
        moves = self.shift == "strategic"
        x_new = torch.empty_like(self.x) if moves and self.coupled else None
        biased = row and moves and self.anchor and not self.coupled
        other = None
        for i, j in self.pieces():
            x, y = self.x[i:j], self.y[i:j]
            if moves:
                x, base = self.respond(p, x)
                if self.coupled:
                    x_new[i:j] = x
            scores = self.net(p, x)
            l = self.loss_of(scores, y, "sum") * weights if isinstance(weights, float) else \
                self.loss_of(scores, y, "none") @ weights[i:j]
            total = added(total, grad(l, p))
            v["loss"] += l.item()
            if row:
                v["right"] += self.right(scores, i, j)
                if moves:
                    v["base"] += float(self.loss_of(base, y, "sum")) / self.n
                    v["right_base"] += self.right(base, i, j)
            if biased:
                s = self.anchor["theta"]
                other = added(other, grad(self.loss(s, x, y, "sum") * weights, s))
        if not moves:
            v["base"], v["right_base"] = v["loss"], v["right"]
        return dict(v, gradient=total, shares=None, x=x_new, other=other)

    @torch.no_grad()
    def right(self, scores, i, j):
        """How many of a piece are told their class."""
        if self.loss_kind == "squared":
            return 0
        said = scores.argmax(1) if self.loss_kind == "softmax" else (scores.squeeze(1) > 0).long()
        return int((said == self.classes[i:j]).sum())

    def survey_graph(self, p, row):
        """Where shares follow from the losses: all of the graph is kept until they are known."""
        scores = [self.net(p, self.x[i:j]) for i, j in self.pieces()]
        scores = torch.cat(scores) if len(scores) > 1 else scores[0]
        losses = self.by_class(self.loss_of(scores, self.y, "none"), self.classes) / self.sizes
        shares = self.shares(losses.detach())
        loss = shares @ losses
        v = {"loss": loss.item(), "gradient": list(grad(loss, p)), "shares": shares, "losses": losses.detach()}
        if row:
            said = scores.argmax(1) if self.loss_kind == "softmax" else (scores.squeeze(1) > 0).long()
            v["right"] = self.by_class((said == self.classes).float(), self.classes) / self.sizes
        return v

    def survey_strata(self, p, row):
        """The same, or where gradients of classes are wanted: class by class, put together when shares are known."""
        losses, right, grads = torch.zeros(len(self.sizes)), torch.zeros(len(self.sizes)), [None] * len(self.sizes)
        for c, (start, size) in enumerate(zip(self.starts.tolist(), self.sizes.tolist())):
            for i, j in self.pieces(start, start + size):
                scores = self.net(p, self.x[i:j])
                l = self.loss_of(scores, self.y[i:j], "sum") / size
                grads[c] = added(grads[c], grad(l, p))
                losses[c] += l.item()
                if row:
                    right[c] += self.right(scores, i, j) / size
        shares = self.shares(losses)
        if self.anew:  # as one matrix, because every step mixes them
            grads = torch.stack([torch.cat([t.flatten() for t in g]) for g in grads])
        return {"losses": losses, "right": right, "grads": grads, "shares": shares, "loss": float(shares @ losses),
                "gradient": self.mixed(shares, grads)}

    def mixed(self, shares, grads):
        if self.anew:
            flat = (shares @ grads).split([t.numel() for t in self.p])
            return [g.view_as(t) for g, t in zip(flat, self.p)]
        total = [torch.zeros_like(t) for t in self.p]
        for s, g in zip(shares.tolist(), grads):
            torch._foreach_add_(total, g, alpha=s)
        return total

    # -- a row of the trace

    def row(self, clock):
        start = clock()
        v = self.known = self.survey(self.p, row=True)
        row = {"loss": v["loss"], "gradient_sq": norm_sq(v["gradient"]), "bias": self.bias(v)}
        if self.shift == "retention":
            base = self.sizes / self.n
            row.update(loss_base=float(base @ v["losses"]), accuracy=float(v["shares"] @ v["right"]),
                       accuracy_base=float(base @ v["right"]))
        else:
            row.update(loss_base=v["base"], accuracy=v["right"] / self.n, accuracy_base=v["right_base"] / self.n)
        return dict(row, seconds=clock() - start)

    def bias(self, v):
        """|E[v] - grad J|: of records that moved, and of shares that moved, since the snapshot; elsewhere it is 0."""
        if v.get("other"):
            return norm_sq(torch._foreach_sub(self.anchor["gradient"], v["other"])) ** .5
        if self.anchor and self.anew and not self.stratified:
            now = self.mixed(self.shares(self.running) if self.losses == "running" else v["shares"], self.anchor["grads"])
            return norm_sq(torch._foreach_sub(self.anchor["gradient"], now)) ** .5
        return 0.0

    # -- an epoch of at most max_steps steps

    def epoch(self, clock, method, batch, step, max_steps=None, seconds=0):
        best, end = None, clock() + seconds
        while best is None or clock() < end:
            r = self.one_epoch(clock, method, batch, step, max_steps)
            r["epoch"] = r["snapshot"] + r["steps"] * r["m"] / r["k"]
            best = r if best is None or r["epoch"] < best["epoch"] else best
        return best

    def take_snapshot(self, method, p):
        """What a step needs beside its batch: theta~, g^, shares."""
        known, self.known, self.anchor = self.known, None, None
        if method == "sgd":
            if self.shift == "retention" and self.losses != "running":
                return None, None, known["shares"] if known else self.shares(self.class_losses(p))
            if self.losses == "running" and self.running is None:
                self.running = known["losses"] if known else self.class_losses(p)
            return None, None, None
        s = [t.detach().clone().requires_grad_() for t in p]
        v = known or self.survey(s, strata=self.stratified and self.anew)
        if self.losses == "running":
            self.running = v["losses"] if self.running is None else self.running
            if "grads" in v:
                shares = self.shares(self.running)
                v = dict(v, shares=shares, gradient=self.mixed(shares, v["grads"]))
        self.anchor = dict(v, theta=s)
        return s, v["gradient"], v["shares"]

    def one_epoch(self, clock, method, batch, step, max_steps=None):
        m = -(-self.n // batch)
        k = min(m, max_steps or m)
        p, sgd = self.p, method == "sgd"
        self.coupled, self.stratified = method in ("coupled", "unbiased"), method in ("stratified", "unbiased")
        start = clock()
        s, g_snapshot, shares = self.take_snapshot(method, p)
        middle = clock()
        mixes, moves = self.anew and self.stratified and not sgd, self.shift == "strategic"
        if not self.anew:  # the draws of the whole epoch at once
            draws = self.draw(shares, k * batch) if self.shift == "retention" else torch.randint(self.n, (k * batch,))
            draws = draws.view(k, batch)
        both, n = p + s if s else p, len(p)
        for t in range(k):
            if self.anew:
                if self.losses == "running":
                    shares = self.shares(self.running)
                elif t > 0:
                    shares = self.shares(self.class_losses(p))
                who = self.draw(shares, batch)
            else:
                who = draws[t]
            x, y = self.pick(who), self.y.index_select(0, who)
            if moves:
                x = self.respond(p, x)[0]
            if self.losses == "running":
                losses = self.loss(p, x, y, "none")
                loss = losses.mean()
                self.hear(losses.detach(), self.classes.index_select(0, who))
            else:
                loss = self.loss(p, x, y)
            if sgd:
                v = grad(loss, p)
            else:
                x_s = self.anchor["x"].index_select(0, who) if moves and self.coupled else x
                v = grad(loss - self.loss(s, x_s, y), both)
                v, minus = v[:n], v[n:]
                torch._foreach_add_(v, minus)
                torch._foreach_add_(v, self.mixed(shares, self.anchor["grads"]) if mixes else g_snapshot)
            with torch.no_grad():
                torch._foreach_add_(p, v, alpha=-step)
        end = clock()
        return {"snapshot": middle - start, "steps": end - middle, "k": k, "m": m}

    # -- the fastest way

    def tune(self, clock, method, batch):
        if self.x.dim() == 4 and not self.ways:  # once, at the first setting of threads
            def steps():  # at the better number of threads, because the best setting counts
                best = 1e30
                for threads in {self.setting[0], 1 if clock is time.process_time else 2}:
                    torch.set_num_threads(threads)
                    best = min(best, self.one_epoch(clock, method, batch, 0.0, 3)["steps"])
                return best if self.is_finite() else math.inf
            self.layout(fastest(self.layouts, self.layout, steps, clock))
            torch.set_num_threads(self.setting[0])
        ways = [("strata", size) for size in (self.n,) + PIECES if size <= self.n]
        if self.shift == "retention" and method != "sgd":
            floats = 2 * self.n * sum(t.numel() for t in self.activations())
            ways += [("graph", size) for _, size in ways] if floats < MOST else []

        def take(way):
            self.ways[self.setting] = way

        def everybody():  # the pass that starts an epoch; where none does, that of a row
            if method == "sgd" and self.shift != "retention":
                return self.row(clock)["seconds"]
            return self.one_epoch(clock, method, batch, 0.0, 1)["snapshot"]
        take(fastest(ways, take, everybody, clock))
        self.reset()
        r = self.one_epoch(clock, method, batch, 0.0, 8)
        self.reset()
        return {"step": r["steps"] / r["k"], "snapshot": r["snapshot"], "way": list(self.ways[self.setting]),
                "layout": self.layout_name}

    def is_finite(self):
        """With channels last and two threads PyTorch 1.13's gradients of few planes are sometimes no numbers: then that is
        no layout for this network."""
        return all(bool(torch.isfinite(t).all()) for t in self.p)

    def activations(self):
        """Tensors of one record that a graph of the network holds."""
        kept = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
            self.net(self.p, self.x[:1])
        own = {t.data_ptr() for t in self.p}
        return [t for t in kept if t.data_ptr() not in own]


def fastest(choices, take, seconds, clock):
    """The choice that takes the fewest seconds, the better of two; as many as there is time for, at least two."""
    best, end = {}, clock() + TRIALS
    for choice in choices:
        if len(best) < 2 or clock() < end:
            take(choice)
            best[choice] = min(seconds(), seconds())
    return min(best, key=best.get)


def added(total, gradient):
    if total is None:
        return list(gradient)
    torch._foreach_add_(total, gradient)
    return total


def norm_sq(tensors):
    return float(sum((t.double() ** 2).sum() for t in tensors))


def compared(problem, gradient, data=None):
    """J and its gradient at theta_0, beside ours in a file: in double precision, so that PyTorch's rounding, of which
    convolutions of a few planes have more than ours, does not count. data: the same records, in files of double precision."""
    y, problem.ways = problem.y, {problem.setting: ("strata", 32)}
    torch.set_default_dtype(torch.float64)
    x, exact = problem.records(data, problem.planes.shape[1:]) if data else (problem.planes, y)
    problem.x, problem.theta0 = x.double(), [t.double() for t in problem.plane_theta0]
    problem.y = exact.double() if exact.is_floating_point() else exact
    problem.reset()
    v = problem.survey(problem.p)
    torch.set_default_dtype(torch.float32)
    problem.y, problem.ways = y, {}
    problem.layout("planes")
    ours, theirs = torch.from_numpy(np.load(gradient)).double(), torch.cat([g.flatten() for g in v["gradient"]])
    return {"loss": v["loss"], "gradient_off": float((ours - theirs).norm() / theirs.norm())}


def answer(problem, blas, request):
    do, problem.setting = request.pop("do"), (request.pop("threads", 2), request.pop("blas", 2))
    torch.set_num_threads(problem.setting[0])
    blas.openblas_set_num_threads(problem.setting[1])
    clock = time.process_time if request.pop("cpu", False) else time.perf_counter
    if do == "loss":
        return compared(problem, **request)
    if do in ("epoch", "tune", "row"):
        return getattr(problem, do)(clock, **request)
    if do == "reset":
        problem.reset()
        return {}
    if do == "train":
        problem.reset()
        for _ in range(request.pop("epochs")):
            problem.epoch(clock, **request)
        return {"loss": problem.row(clock)["loss"]}
    return {"kilobytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def main():
    layouts = sys.argv[5].split(",") if len(sys.argv) > 5 else LAYOUTS
    problem, blas = Problem(*sys.argv[1:5], layouts), ctypes.CDLL("libblas.so.3")  # which PyTorch has loaded
    for line in sys.stdin:
        print(json.dumps(answer(problem, blas, json.loads(line))), flush=True)


main()
