#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models that the library compiles for an Ethos-U, in this process: the bytes of the NNA.

    $(tests/clients/setup) models.py [--build DIRECTORY] [--config NAME]... MODEL.tflite...

LiteRT runs each model with the delegate twice, on the NPU's model and on that of the NNA, with the
same random inputs. What a device cannot run stays with LiteRT's reference kernels, and the delegate
names it; each byte of the outputs has to be the same. The last line is "N passed, N failed".
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

CONFIGS = ("ethos-u65-256", "ethos-u85-256")


def run(library, device, model):
    """Return: the outputs, and in how many parts of the model the device runs."""
    interpreter = Interpreter(
        model_path=model, experimental_delegates=[load_delegate(library, {"device": device})],
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    drawn = np.random.default_rng(1)
    for tensor in interpreter.get_input_details():
        shape, kind = tensor["shape"], tensor["dtype"]
        if np.issubdtype(kind, np.floating):
            values = drawn.random(shape)
        else:
            least = max(np.iinfo(kind).min, -128)
            values = drawn.integers(least, min(np.iinfo(kind).max, least + 255), shape)
        interpreter.set_tensor(tensor["index"], values.astype(kind))
    interpreter.invoke()
    parts = sum(op["op_name"] == "DELEGATE" for op in interpreter._get_ops_details())
    return [interpreter.get_tensor(t["index"]) for t in interpreter.get_output_details()], parts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--config", action="append")
    parser.add_argument("models", nargs="+")
    a = parser.parse_args()
    library = str((Path(a.build) / "lib/libnnaccel_delegate.so").resolve())
    passed = failed = 0
    for model in a.models:
        expected, _ = run(library, "loopback", model)
        for config in a.config or CONFIGS:
            got, parts = run(library, config, model)
            differ = sum(int((x.view(np.uint8) != y.view(np.uint8)).sum())
                         for x, y in zip(got, expected))
            total = sum(x.nbytes for x in expected)
            good = parts and total and not differ and len(got) == len(expected)
            print("%s %s %s: %d of %d bytes differ, %d parts on the NPU"
                  % ("ok" if good else "FAILED", config, Path(model).stem, differ, total, parts),
                  flush=True)
            passed += bool(good)
            failed += not good
    print("%d passed, %d failed" % (passed, failed))
    return bool(failed) or not passed


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
