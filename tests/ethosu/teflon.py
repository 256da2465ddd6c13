#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Models through a delegate of TFLite, such as Mesa's libteflon on the kernel's driver for Ethos-U,
against LiteRT's reference kernels. On a board too.

    teflon.py LIBRARY [--option KEY=VALUE]... MODEL.tflite...

A model passes if the delegate takes operators of it and no element differs by more than one step of
its quantization: a delegate may round otherwise than the reference. How many differ is printed. A
model of which the delegate takes nothing fails. The last line is "N passed, N failed, N skipped".
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate


def run(path, **options):
    """Outputs for random inputs, the same in each run, and whether a delegate took operators."""
    interpreter = Interpreter(model_path=str(path), num_threads=1, **options)
    interpreter.allocate_tensors()
    random = np.random.default_rng(1)
    for tensor in interpreter.get_input_details():
        kind = tensor["dtype"]
        if np.issubdtype(kind, np.integer):
            info = np.iinfo(kind)
            value = random.integers(info.min, info.max, tensor["shape"], kind, endpoint=True)
        else:
            value = random.uniform(-1, 1, tensor["shape"]).astype(kind)
        interpreter.set_tensor(tensor["index"], value)
    interpreter.invoke()
    taken = any(op["op_name"] == "DELEGATE" for op in interpreter._get_ops_details())
    return [interpreter.get_tensor(t["index"]) for t in interpreter.get_output_details()], taken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    given = dict(option.split("=", 1) for option in options.option)
    passed = failed = skipped = 0
    for model in options.models:
        try:
            delegate = load_delegate(str(options.library.absolute()), given)
            ours, taken = run(model, experimental_delegates=[delegate])
            theirs, _ = run(model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        except (RuntimeError, ValueError) as error:
            failed += 1
            print(f"not ok {model.stem}: {str(error).strip().splitlines()[-1]}", flush=True)
            continue
        if any(not np.issubdtype(t.dtype, np.integer) for t in theirs):
            skipped += 1
            print(f"skip {model.stem}: its outputs are not quantized", flush=True)
            continue
        far = [np.abs(a.astype(np.int64) - b.astype(np.int64)) for a, b in zip(ours, theirs)]
        steps = max(int(f.max(initial=0)) for f in far)
        differ, total = sum(int(np.count_nonzero(f)) for f in far), sum(f.size for f in far)
        right = taken and steps <= 1
        passed += right
        failed += not right
        print("ok" if right else "not ok", f"{model.stem}:",
              f"{differ} of {total} differ, by {steps} at most" if taken
              else "the delegate takes no operator of it", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0 or not passed


sys.exit(main())
