#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long models take on the model of the Ethos-U, as ratios to the NNA's model.

    times.py [--build BUILD] [--config NAME]... [--rounds N] [--seconds N] MODEL.tflite...

Vela compiles a model; in each round its stream runs in ethosu_run, the file itself in nnactl bench
on the loopback device, one thread each, for about so many seconds in all rounds. What counts is the
time of the processor, less that of a process with one run: neither waits for others, and each meets
the same neighbours. A line for each model and configuration: the median of the rounds' ratios, the
least and the largest, and the NNA's median. Models that Vela leaves to the CPU are skipped, by name.

tests/ethosu/setup prints the interpreter to call this with. No test fails by these numbers.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import compiler  # noqa: E402
import vela  # noqa: E402

TOP = Path(__file__).parents[2]
THREE = ("ethos-u65-256", "ethos-u65-512", "ethos-u85-256")


def spent(run, *arguments):
    """Seconds of the processor that the processes of a call take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_one(run, *arguments):
    """Milliseconds of one run, of @arguments[-1] of them and one before, which prepares them."""
    *same, runs = arguments
    return (spent(run, *same, runs + 1) - spent(run, *same, 1)) / runs * 1000


def on_npu(build, config, program, inputs, runs):
    vela.run(build / "tests/ethosu_run", config, program, inputs, repeat=runs)


def on_nna(build, model, runs):
    subprocess.run([build / "bin/nnactl", "bench", model, "--device", "loopback", "--threads", "1",
                    "--runs", str(runs)], check=True, stdout=subprocess.DEVNULL)


def measure(options, build, config, model, process):
    """A line about the model."""
    with tempfile.TemporaryDirectory() as folder:
        program = vela.Program(process.compile(model, config, folder))
    random = np.random.default_rng(1)
    inputs = [random.integers(0, 256, size, np.uint8).tobytes() for _, _, size in program.inputs]
    one = max(of_one(on_npu, build, config, program, inputs, 20), 0.01)
    runs = max(10, min(3000, int(options.seconds * 1000 / one / options.rounds)))
    ratios, nna = [], []
    for _ in range(options.rounds):
        npu = of_one(on_npu, build, config, program, inputs, runs)
        nna.append(of_one(on_nna, build, model, runs))
        ratios.append(npu / nna[-1])
    return (f"{statistics.median(ratios):.1f} times the NNA's ({min(ratios):.1f} to "
            f"{max(ratios):.1f}), {statistics.median(nna):.2f} ms on the NNA, {options.rounds} "
            f"rounds of {runs} runs")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--config", action="append")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    process = compiler.Compiler(sys.executable)
    for model in options.models:
        for config in options.config or THREE:
            try:
                said = measure(options, options.build.absolute(), config, model.absolute(), process)
            except compiler.Refused as refused:
                said = f"skipped: {refused}"
            print(config, model.stem, said, flush=True)
    process.close()


main()
