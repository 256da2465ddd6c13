#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
litert_times: times of models as LiteRT's compiled models, on the NPU (the loopback) and on LiteRT's CPU.

    litert_times.py --libraries DIR [--runs N] [--page FILE] MODEL...

Of each model the time of the fastest of N runs on the NPU alone over that of the CPU alone, in turns, on one thread and
on two; and ms of the NPU on one. A thread is a CPU that the process may use: it starts itself again for each number.
Prints a table with a row for each network and a column for each way in which it is quantised, which the name's end
tells; the machine's load is in the head. A model that LiteRT refuses is named. --page puts the table in the place of the one in a file: docs/litert.md.
"""
import argparse
import os
import subprocess
import sys
import time

import numpy as np
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.cpu_options import CpuOptions
from ai_edge_litert.environment import Environment
from ai_edge_litert.hardware_accelerator import HardwareAccelerator
from ai_edge_litert.interpreter import Interpreter
from ai_edge_litert.options import Options


class Runner:
    """A model with its buffers, which are filled with zeros: numbers that any model can take."""

    def __init__(self, path, environment, options):
        self.model = CompiledModel.from_file(path, environment=environment, options=options)
        self.inputs, self.outputs = self.model.create_input_buffers(0), self.model.create_output_buffers(0)
        for buffer, detail in zip(self.inputs, Interpreter(path).get_input_details()):
            size = int(np.prod(detail["shape"])) * np.dtype(detail["dtype"]).itemsize
            buffer.write(np.zeros(size, np.int8))

    def run(self):
        self.model.run_by_index(0, self.inputs, self.outputs)


def fastest(runners, runs):
    """ms of each one's fastest run, in turns: others are disturbed."""
    times = [[] for _ in runners]
    for number in range(runs + 1):
        for which in (0, 1) if number % 2 else (1, 0):
            begin = time.perf_counter()
            runners[which].run()
            times[which].append(time.perf_counter() - begin)
    return [1000 * min(t[1:]) for t in times]


def measure(path, folder, runs, threads):
    environment = Environment.create(compiler_plugin_path=folder, dispatch_library_path=folder)
    npu = Runner(path, environment, Options(hardware_accelerators=HardwareAccelerator.NPU))
    cpu = Runner(path, environment, Options(hardware_accelerators=HardwareAccelerator.CPU,
                                            cpu_options=CpuOptions(num_threads=threads)))
    return fastest((npu, cpu), runs)


WAYS = ["float", "dynamic", "int4", "a8w8", "a16w8", "quant", "ptq"]
HEAD = "| network"


def ask(path, options, threads):
    """ms on the NPU and on the CPU, None if LiteRT refuses the model."""
    cpus = sorted(os.sched_getaffinity(0))
    done = subprocess.run(["taskset", "-c", ",".join(map(str, cpus[-threads:])), sys.executable,
                           os.path.abspath(__file__), "--libraries", options.libraries, "--runs", str(options.runs),
                           "--threads", str(threads), path], capture_output=True, text=True, check=False)
    return None if done.returncode else tuple(map(float, done.stdout.split()[-2:]))


def cell_of(path, options):
    one, two = (ask(path, options, threads) for threads in (1, 2))
    if not one or not two:
        return "refused"
    return "%.2f, %.2f; %.3g ms" % (one[0] / one[1], two[0] / two[1], one[0])


def replaced(page, table):
    """A page with another table."""
    head, _, rest = page.partition(HEAD)
    if not rest:
        sys.exit("there is no table to replace")
    return head + table + "\n".join([""] + rest.split("\n\n", 1)[1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--page")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    folder = os.path.abspath(options.libraries)
    if options.threads:
        print(*measure(options.models[0], folder, options.runs, options.threads))
        return
    rows = {}
    for path in options.models:
        name, way = os.path.splitext(os.path.basename(path))[0], "quant"
        for end in WAYS:
            if name.endswith(("-" + end, "_" + end)):
                name, way = name[:-len(end) - 1], end
        rows.setdefault(name, {})[way] = cell_of(path, options)
        print(name, way, rows[name][way], file=sys.stderr, flush=True)
    ways = [w for w in WAYS if any(w in row for row in rows.values())]
    load = "%.1f" % os.getloadavg()[0]
    table = "%s, at a load of %s | %s |\n|---|%s\n" % (HEAD, load, " | ".join(ways), "---|" * len(ways))
    table += "".join("| %s | %s |\n" % (name, " | ".join(row.get(w, "") for w in ways)) for name, row in rows.items())
    print(table, end="")
    if options.page:
        with open(options.page) as file:
            page = file.read()
        with open(options.page, "w") as file:
            file.write(replaced(page, table))


if __name__ == "__main__":
    main()
