#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
litert_times: times of models as LiteRT's compiled models, on the NPU (the loopback) and on LiteRT's CPU.

    litert_times.py --libraries DIR [--runs N] MODEL...

Of each model the time of the fastest of N runs on the NPU alone over that of the CPU alone, in turns, on one thread and
on two; and ms of the NPU on one. A thread is a CPU that the process may use: it starts itself again for each number.
Prints a row of a table for each model; one that LiteRT refuses is named.
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--threads", type=int)
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    folder = os.path.abspath(options.libraries)
    if options.threads:
        print(*measure(options.models[0], folder, options.runs, options.threads))
        return
    cpus = sorted(os.sched_getaffinity(0))
    print("| model | 1 thread | 2 threads | ms, 1 thread |\n|---|---|---|---|")
    for path in options.models:
        cells, ms = [], ""
        for threads in 1, 2:
            done = subprocess.run(["taskset", "-c", ",".join(map(str, cpus[-threads:])), sys.executable,
                                   os.path.abspath(__file__), "--libraries", folder, "--runs", str(options.runs),
                                   "--threads", str(threads), path], capture_output=True, text=True, check=False)
            if done.returncode:
                cells.append("refused")
                continue
            npu, cpu = map(float, done.stdout.split()[-2:])
            cells.append("%.2f" % (npu / cpu))
            ms = ms or "%.1f" % npu
        print("| %s | %s | %s |" % (os.path.splitext(os.path.basename(path))[0], " | ".join(cells), ms), flush=True)


main()
