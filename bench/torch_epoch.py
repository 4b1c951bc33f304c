#!/usr/bin/python3
"""One epoch of SGD-GD and of SPRINT in PyTorch, written as a good user would: vectorised, data resident as float
tensors, parameters updated in place, no graph where none is needed, one autograd call for both gradients of a step.

    torch_epoch.py PREFIX THETA.safetensors NET SHIFT

PREFIX-x.npy and PREFIX-y.npy are what `sprint data export` wrote, THETA what `sprint init` wrote. NET is credit, mnist,
cifar or cifar-direct (the layers are in `network` below). SHIFT is strategic or retention. Then one JSON request a line
on standard input, one JSON answer a line on standard output; bench/run asks. Requests:

    {"do": "loss"}                                              J(theta_0; theta_0) and |grad|^2
    {"do": "epoch", "method": "sgd|paper|unbiased", "batch": b, "threads": t, "step": gamma, "max_steps": k,
     "losses": "snapshot|exact", "cpu": false}                  seconds of the snapshot, seconds of k steps
    {"do": "reset"}                                             back to theta_0
    {"do": "row", "threads": t, "cpu": false}                   a row of the trace at theta, and its seconds; what it knows
                                                                serves the next epoch, whose snapshot then costs a copy
    {"do": "train", ..., "epochs": e}                           J(theta; theta) after e epochs from theta_0
    {"do": "memory"}                                            peak resident kilobytes
"""
import json
import resource
import struct
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch.autograd import grad

ALPHA = {"strategic": 0.2, "retention": 0.5}
CHUNK = 250  # images of one class in one pass of a convolutional network


def load_safetensors(path):
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(size))
        body = f.read()
    header.pop("__metadata__", None)
    return [torch.from_numpy(np.frombuffer(body, "<f4", (e["data_offsets"][1] - e["data_offsets"][0]) // 4,
                                           e["data_offsets"][0]).copy()).view(e["shape"]) for e in header.values()]


def network(name):
    if name in ("credit", "mnist"):
        return lambda p, x: F.linear(F.relu_(F.linear(x, p[0], p[1])), p[2], p[3])

    def cnn(p, x):
        h = F.max_pool2d(F.relu_(F.conv2d(x, p[0], p[1], padding=1)), 2)
        h = F.max_pool2d(F.relu_(F.conv2d(h, p[2], p[3], padding=1)), 2).flatten(1)
        if name == "cifar":
            h = F.relu_(F.linear(h, p[4], p[5]))
        return F.linear(h, p[-2], p[-1])
    return cnn


class Problem:
    def __init__(self, prefix, theta, net, shift):
        x = torch.from_numpy(np.load(prefix + "-x.npy"))
        y = torch.from_numpy(np.load(prefix + "-y.npy"))
        y = (y > 0).long() if shift == "strategic" else y.long()
        order = torch.argsort(y, stable=True)  # by class, so that a class is a slice
        self.y, self.x = y[order], x[order]
        self.conv = net.startswith("cifar")
        if self.conv:
            self.x = self.x.view(-1, 3, 32, 32)
        self.n = len(self.y)
        self.sizes = torch.bincount(self.y)
        self.starts = torch.cumsum(self.sizes, 0) - self.sizes
        self.theta0 = load_safetensors(theta)
        self.net, self.retention = network(net), shift == "retention"
        if self.retention:
            self.loss = lambda p, x, y: F.cross_entropy(self.net(p, x), y)
        else:
            self.y = self.y.float()
            self.loss = lambda p, x, y: F.binary_cross_entropy_with_logits(self.net(p, x).squeeze(1), y)
        self.alpha = ALPHA[shift]
        self.reset()

    def channels_last(self):
        self.x = self.x.contiguous(memory_format=torch.channels_last)
        self.theta0 = [t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for t in self.theta0]
        self.reset()

    def reset(self):
        self.p = [t.clone().requires_grad_() for t in self.theta0]
        self.known = self.anchor = None  # the surveys at theta and at the newest snapshot, once a row was taken

    # -- the shifts

    def respond(self, p, x):
        """Everybody in x moves along the gradient of minus the logit of default."""
        x = x.detach().requires_grad_()
        g, = grad(self.net(p, x).sum(), x)
        return torch.sub(x.detach(), g, alpha=self.alpha)

    def class_chunks(self):
        for start, size in zip(self.starts.tolist(), self.sizes.tolist()):
            step = CHUNK if self.conv else size
            for i in range(start, start + size, step):
                j = min(i + step, start + size)
                yield i, j, (j - i) / size

    @torch.no_grad()
    def class_losses(self, p):
        if self.conv:
            l = torch.cat([F.cross_entropy(self.net(p, self.x[i:i + CHUNK]), self.y[i:i + CHUNK], reduction="none")
                           for i in range(0, self.n, CHUNK)])
        else:
            l = F.cross_entropy(self.net(p, self.x), self.y, reduction="none")
        return torch.zeros(len(self.sizes)).index_add_(0, self.y, l) / self.sizes

    def shares(self, losses):
        return torch.softmax(-self.alpha * losses, 0)

    def draw(self, p, size):
        c = torch.multinomial(p, size, replacement=True)
        return self.starts[c] + (torch.rand(size) * self.sizes[c]).long()

    # -- the snapshot: J(theta; theta), its gradient and, of retention, the shares

    def snapshot(self, p):
        if not self.retention:
            self.x_snapshot = self.respond(p, self.x)
            loss = self.loss(p, self.x_snapshot, self.y)
            return loss.item(), list(grad(loss, p)), None
        v = self.survey(p)
        return v["loss"], v["gradient"], v["shares"]

    def survey(self, p, accuracy=False):
        """One pass of retention: losses, right answers and gradients by class, put together when p(theta) is known."""
        losses, right, grads = torch.zeros(len(self.sizes)), torch.zeros(len(self.sizes)), [None] * len(self.sizes)
        for i, j, share in self.class_chunks():
            c = int(self.y[i])
            scores = self.net(p, self.x[i:j])
            l = F.cross_entropy(scores, self.y[i:j]) * share
            g = grad(l, p)
            losses[c] += l.item()
            if accuracy:
                right[c] += share * (scores.argmax(1) == c).float().mean()
            grads[c] = g if grads[c] is None else [a.add_(b) for a, b in zip(grads[c], g)]
        shares = self.shares(losses)
        return {"losses": losses, "right": right, "grads": grads, "shares": shares, "loss": float(shares @ losses),
                "gradient": self.mixed(shares, grads)}

    def mixed(self, shares, grads):
        total = [torch.zeros_like(t) for t in self.p]
        for s, g in zip(shares.tolist(), grads):
            torch._foreach_add_(total, g, alpha=s)
        return total

    # -- a row of the trace

    def row(self, cpu=False):
        clock = time.process_time if cpu else time.perf_counter
        start = clock()
        v = self.known = self.survey(self.p, accuracy=True)
        base = self.sizes / self.n
        row = {"loss": v["loss"], "accuracy": float(v["shares"] @ v["right"]), "loss_base": float(base @ v["losses"]),
               "accuracy_base": float(base @ v["right"]), "gradient_sq": norm_sq(v["gradient"]), "bias": self.bias()}
        return dict(row, seconds=clock() - start)

    def bias(self):
        """|g^ - sum_c p_c g~_c|, p what is deployed: with losses of the snapshot, what they were there."""
        if not self.anchor:
            return 0.0
        a = self.anchor
        return norm_sq(torch._foreach_sub(a["gradient"], self.mixed(a["shares"], a["grads"]))) ** .5

    # -- an epoch of at most max_steps steps

    def epoch(self, method, batch, step, losses="snapshot", max_steps=None, cpu=False):
        clock = time.process_time if cpu else time.perf_counter
        m = -(-self.n // batch)
        k = min(m, max_steps or m)
        p, sgd = self.p, method == "sgd"
        start = clock()
        shares = None
        known, self.known = self.known, None
        self.anchor = None if sgd else known
        if sgd:
            if self.retention:
                shares = known["shares"] if known else self.shares(self.class_losses(p))
        else:
            s = [t.detach().clone().requires_grad_() for t in p]
            g_snapshot, shares = (known["gradient"], known["shares"]) if known else self.snapshot(s)[1:]
            both = p + s
        middle = clock()
        exact = self.retention and losses == "exact"
        if not exact:  # the draws of the whole epoch at once
            draws = self.draw(shares, k * batch) if self.retention else torch.randint(self.n, (k * batch,))
            draws = draws.view(k, batch)
        n = len(p)
        for t in range(k):
            if exact:
                if t > 0:
                    shares = self.shares(self.class_losses(p))
                who = self.draw(shares, batch)
            else:
                who = draws[t]
            x, y = self.x.index_select(0, who), self.y.index_select(0, who)
            if not self.retention:
                x = self.respond(p, x)
            if sgd:
                v = grad(self.loss(p, x, y), p)
            else:
                x_s = self.x_snapshot.index_select(0, who) if method == "unbiased" and not self.retention else x
                v = grad(self.loss(p, x, y) - self.loss(s, x_s, y), both)
                v, minus = v[:n], v[n:]
                torch._foreach_add_(v, minus)
                torch._foreach_add_(v, g_snapshot)
            with torch.no_grad():
                torch._foreach_add_(p, v, alpha=-step)
        end = clock()
        return {"snapshot": middle - start, "steps": end - middle, "k": k, "m": m}


def norm_sq(tensors):
    return float(sum((t.double() ** 2).sum() for t in tensors))


def answer(problem, request):
    do = request.pop("do")
    torch.set_num_threads(request.pop("threads", 2))
    if do == "loss":
        problem.reset()
        loss, g, _ = problem.snapshot(problem.p)
        return {"loss": loss, "gradient_sq": norm_sq(g)}
    if do == "epoch":
        return problem.epoch(**request)
    if do == "row":
        return problem.row(**request)
    if do == "reset":
        problem.reset()
        return {}
    if do == "train":
        problem.reset()
        for _ in range(request.pop("epochs")):
            problem.epoch(**request)
        return {"loss": problem.snapshot(problem.p)[0]}
    return {"kilobytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def main():
    problem = Problem(*sys.argv[1:5])
    if problem.conv:  # planes or channels last, whichever is faster here
        trial = dict(method="sgd", batch=64, step=0.0, max_steps=3)
        plain = min(problem.epoch(**trial)["steps"] for _ in range(3))
        planes = problem.x, problem.theta0
        problem.channels_last()
        if min(problem.epoch(**trial)["steps"] for _ in range(3)) > plain:
            problem.x, problem.theta0 = planes
    problem.reset()
    for line in sys.stdin:
        print(json.dumps(answer(problem, json.loads(line))), flush=True)


main()
