#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
litert_wheel: the package nnaccel-litert where it is installed beside LiteRT: its report, models compiled ahead of
time, and bad input. Prints "N passed, N failed, N skipped" last.

    litert_wheel.py MOBILENET WITH_OPERATOR_LEFT
"""
import os
import sys
import tempfile

import numpy as np
from ai_edge_litert.aot import aot_compile
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.environment import Environment
from ai_edge_litert.hardware_accelerator import HardwareAccelerator

import nnaccel_litert
from nnaccel_litert.aot import Target

# Of mobilenet_v1_0.25_128_quant.
INPUT_SIZE, OUTPUT_SIZE = 128 * 128 * 3, 1001
counts = [0, 0]


def tell(right, what):
    counts[not right] += 1
    print("%s %s" % ("ok" if right else "not ok", what), flush=True)


def run(path, environment):
    """The outputs of a model for inputs of its own."""
    model = CompiledModel.from_file(path, hardware_accel=HardwareAccelerator.NPU, environment=environment)
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    inputs[0].write((np.arange(INPUT_SIZE) % 251).astype(np.uint8))
    model.run_by_index(0, inputs, outputs)
    return np.asarray(outputs[0].read(OUTPUT_SIZE, np.uint8))


def main():
    whole, partly = sys.argv[1:3]
    report = nnaccel_litert.report(whole)
    tell(report.taken == len(report.operators) > 20 and not report.left, "a report of a model that is taken whole")
    with open(partly, "rb") as file:
        report = nnaccel_litert.report(file.read())
    tell(report.left and "left to LiteRT" in str(report) and report.left[0].reason, "a report of bytes, with a reason")
    for bad in ("/none/model.tflite", __file__):
        try:
            nnaccel_litert.report(bad)
            tell(False, "%s is refused" % bad)
        except ValueError as error:
            tell(bad in str(error), "%s is refused: %s" % (bad, error))

    environment = Environment.create(**nnaccel_litert.directories())
    want = run(whole, environment)
    with tempfile.TemporaryDirectory() as folder:
        result = aot_compile.aot_compile(whole, output_dir=folder, target=Target())
        print(result.compilation_report())
        tell("31 / 31 ops offloaded to 1 partitions" in result.compilation_report(), "the report of aot_compile()")
        result.export(folder, "exported")
        files = [f for f in os.listdir(folder) if f.startswith("exported")]
        tell(files == ["exported_NNAccel_NNA1.tflite"], "the name of what is compiled: %s" % files)
        # With the dispatch library alone.
        only = Environment.create(dispatch_library_path=str(nnaccel_litert.path_to_libs()))
        compiled = os.path.join(folder, files[0])
        tell((run(compiled, only) == want).all(), "a model that is compiled runs, with the same results")
        # A program of another build.
        with open(compiled, "rb") as file:
            data = bytearray(file.read())
        at = data.index(b"NNALITE1")
        offset = int.from_bytes(data[at + 40:at + 48], "little")
        data[at + offset + 100] ^= 1
        other = os.path.join(folder, "other.tflite")
        with open(other, "wb") as file:
            file.write(data)
        tell((run(other, only) == want).all(), "one of another build is compiled again")
    with open("/proc/self/maps") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    mapped = [f for f in files if os.path.basename(f).startswith(("libdrm", "libnnaccel")) or "_NNAccel." in f]
    home = str(nnaccel_litert.path_to_libs())
    tell(len(mapped) == 4 and all(f.startswith(home) for f in mapped), "libraries are the package's: %s" % mapped)
    print("%d passed, %d failed, 0 skipped" % tuple(counts))
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
