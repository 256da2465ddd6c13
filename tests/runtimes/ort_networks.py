#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
ort_networks: whole networks in ONNX Runtime, with the provider of nnaccel on the loopback and on its CPU alone.

    ort_networks.py [--times N] [--table FILE] FOLDER...

The CPU provider with session.x64quantprecision=1 is the judge; its times are those of its defaults. Of each .onnx
file: how many nodes the provider takes, the largest difference, as a part of the range, and the share of inputs for
which the greatest of the last axis is the same (top-1); open axes get three sizes in one session. A network fails
beyond LIMITS, where top-1 is too rare, and when a node of it is left. The trained ones, which are quantised, have no
limit but top-1: random numbers are no inputs that they have an answer for. --times adds the times of N runs of each in turns, as ratios to the CPU provider's, on one thread and on two;
--table writes the table of docs/onnxruntime.md. Prints "N passed, N failed, N skipped" last.
"""
import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort
import onnxruntime_ep_nnaccel as ep
from networks import SIZES, feeds

# Of the range of an output. Steps of quantised operators add up: 3.4e-2 has been seen.
LIMITS = {"float": 1e-4, "half": 1e-2, "qdq": 5e-2}
# The least top-1 of a network in float, and of a quantised one.
LEAST_TOP = 0.95, 0.75
THREE = ({}, {"batch": 3, "sequence": 7, "frames": 64}, {"batch": 2, "sequence": 50, "frames": 160})
INPUTS = 4
TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64,
         "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(int32)": np.int32}


def session(path, device=None, threads=1, judges=False):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if judges:
        # ONNX Runtime 1.32 does not load some models with that entry and all of its optimisations.
        options.add_session_config_entry("session.x64quantprecision", "1")
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    if device is None:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    options.add_provider_for_devices([device], {"threads": str(threads)})
    return ort.InferenceSession(str(path), sess_options=options, enable_fallback=0)


def nodes(made):
    """How many nodes the provider has taken, of how many, and what it has left."""
    taken, left = 0, []
    for group in made.get_provider_graph_assignment_info():
        names = [node.op_type for node in group.get_nodes()]
        if group.ep_name == ep.get_ep_name():
            taken += len(names)
        else:
            left += names
    return taken, taken + len(left), sorted(set(left))


def random_inputs(made, sizes, seed):
    """Inputs of a session; numbers of bytes are in their whole range."""
    result = feeds([(i.name, i.shape, TYPES[i.type]) for i in made.get_inputs() if TYPES[i.type] in
                    (np.float32, np.float16, np.int64)], sizes, seed)
    random = np.random.default_rng(seed)
    for i in made.get_inputs():
        if i.name not in result:
            result[i.name] = random.integers(np.iinfo(TYPES[i.type]).min // 2, 120, i.shape).astype(TYPES[i.type])
    return result


class Comparison:
    def __init__(self):
        self.worst, self.same, self.all = 0.0, 0, 0

    def add(self, got, want):
        for a, b in zip(got, want):
            if a.shape != b.shape or a.dtype != b.dtype:
                raise AssertionError("%s %s in place of %s %s" % (a.dtype, a.shape, b.dtype, b.shape))
            x, y = a.astype("f8"), b.astype("f8")
            span = max(y.max(initial=0), 0) - min(y.min(initial=0), 0)
            self.worst = max(self.worst, float(np.abs(x - y).max(initial=0)) / (span or 1))
        top = got[0].reshape(-1, got[0].shape[-1]).argmax(1) == want[0].reshape(-1, want[0].shape[-1]).argmax(1)
        self.same, self.all = self.same + int(top.sum()), self.all + top.size


def ratio(mine, theirs, inputs, count):
    """Time of the fastest run by the provider over that by the CPU, in turns: others are disturbed."""
    times = [], []
    for number in range(count):
        for which in (0, 1) if number % 2 else (1, 0):
            begin = time.perf_counter()
            (mine, theirs)[which].run(None, inputs)
            times[which].append(time.perf_counter() - begin)
    a, b = map(min, times)
    return a / b, a


def judge(path, device, times):
    """One network. Return: (whether it is right, a row of the table)."""
    cpu, npu = session(path, judges=True), session(path, device)
    taken, count, left = nodes(npu)
    dynamic = any(not isinstance(d, int) for i in npu.get_inputs() for d in i.shape)
    seen = Comparison()
    for sizes in THREE if dynamic else THREE[:1]:
        for seed in range(INPUTS):
            inputs = random_inputs(npu, SIZES | sizes, 100 + seed)
            seen.add(npu.run(None, inputs), cpu.run(None, inputs))
    form = path.stem.rpartition("-")[2]
    top = seen.same / seen.all
    good = not left and top >= LEAST_TOP[form not in ("float", "half")] and seen.worst <= LIMITS.get(form, math.inf)
    row = [path.stem, "%d of %d" % (taken, count), "three sizes" if dynamic else "", "%.1e" % seen.worst,
           "%.1f %%" % (100 * top)]
    if times:
        inputs = random_inputs(npu, SIZES, 100)
        one, took = ratio(npu, session(path), inputs, times)
        two, _ = ratio(session(path, device, 2), session(path, None, 2), inputs, times)
        row += ["%.2f" % one, "%.2f" % two, "%.1f" % (1000 * took)]
    return good, row, left


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=0)
    parser.add_argument("--table")
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    ort.register_execution_provider_library("nnaccel", ep.get_library_path())
    device = [d for d in ort.get_ep_devices() if d.ep_name == ep.get_ep_name()][-1]
    passed = failed = 0
    rows = []
    for path in sorted(p for folder in options.folders for p in folder.glob("*.onnx")):
        try:
            good, row, left = judge(path, device, options.times)
        except Exception as error:  # pylint: disable=broad-except
            good, row, left = False, [path.stem, str(error)[:300]], []
        passed, failed = passed + good, failed + (not good)
        rows.append(row)
        print("ok" if good else "not ok", ", ".join(row), "left: %s" % left if left else "", flush=True)
    if options.table:
        head = ["network", "nodes", "open axes", "largest difference", "top-1"]
        head += ["time, 1 thread", "2 threads"] if options.times else []
        with open(options.table, "w") as file:
            for row in [head, ["---"] * len(head)] + rows:
                print("| " + " | ".join(row[:len(head)]) + " |", file=file)
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return failed != 0 or not passed


sys.exit(main())
