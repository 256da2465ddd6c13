#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
litert_models: models through LiteRT's compiled models with nnaccel as the NPU alone, against the reference kernels.

    litert_models.py --libraries DIR --judge PYTHON [--today] [--seed N] MODEL...
    litert_models.py --reference FILE [--seed N] MODEL

Each model gets random inputs, and its outputs are compared with those of the interpreter with BUILTIN_REF in another
Python: integers have to be equal, floats within a part of their range. LiteRT refuses a model of which an operator is
left, so a model that runs has run on nnaccel. A model that LiteRT does not run without an NPU either is skipped. With
--today they are those of tests/clients/check-today, and the rules for them hold that check.py there has.
Prints a line for each model and "N passed, N failed, N skipped" last. The second form is what the judge runs.
"""
import argparse
import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.environment import Environment
from ai_edge_litert.hardware_accelerator import HardwareAccelerator
from ai_edge_litert.interpreter import Interpreter, OpResolverType

sys.path.append(str(Path(__file__).resolve().parent.parent / "clients"))
import check as clients  # pylint: disable=wrong-import-position

FLOAT_TOLERANCE = 1e-5

# Models with an operator that is left, and the line that says why.
LEFT = {
    "gathernd_dynbatch": "dimension 0 is open",
    "s2b_dyn_static_paddings": "dimension 1 is open",
    "op_maxpool_dil": "it runs another subgraph",
    "det_noshape": "another shape than the file tells",
    "noshape_relu": "another shape than the file tells",
}
# There is nothing to compare with: LiteRT reads weights of 2 bits as bytes, behind their end (docs/tflite.md).
UNJUDGED = ("vit_dyn2c",)
# LiteRT 2.2 puts the operators of a decomposition in the place of these, with an output that has a shape in one
# process, and in another one has none: "Expected a ranked output tensor".
if importlib.metadata.version(importlib.metadata.packages_distributions()["ai_edge_litert"][0]).startswith("2.2."):
    UNJUDGED += ("hlfb_rms_norm", "lt1136_softmax")

# What LiteRT's TensorBuffer neither writes nor reads.
RAW = (np.int64, np.bool_, np.float16, np.int16)


def random_input(detail, random):
    """Numbers that a model of this type can take."""
    dtype, shape = detail["dtype"], detail["shape"]
    if dtype in (np.float32, np.float16):
        return random.uniform(-1, 1, shape).astype(dtype)
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(dtype)
    if dtype in (np.int32, np.int64):
        return random.integers(0, 2, shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max + 1, shape).astype(dtype)


def reference(path, seed, to):
    """Writes the judge's inputs and outputs."""
    random = np.random.default_rng(seed)
    inputs = {}

    def given(detail):
        return inputs.setdefault(detail["index"], random_input(detail, random))
    outputs, _ = clients.reference(Path(path), given, lambda detail: detail["shape"])
    arrays = {"input%d" % i: value for i, value in enumerate(inputs.values())}
    arrays |= {"output%d" % i: value for i, (_, value) in enumerate(outputs)}
    np.savez(to, **arrays)


def ask_judge(python, path, seed):
    """Lists of inputs and outputs, or None if the judge does not run the model."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "reference.npz")
        done = subprocess.run([python, os.path.abspath(__file__), "--reference", file, "--seed", str(seed), path],
                              capture_output=True, text=True, timeout=600)
        if done.returncode:
            return None
        with np.load(file) as arrays:
            return [[arrays["%s%d" % (kind, i)] for i in range(sum(n.startswith(kind) for n in arrays.files))]
                    for kind in ("input", "output")]


def compiled(path, inputs, outputs, environment, accelerator, runs=2):
    """The outputs of a compiled model. The second run takes the buffers that the first has attached."""
    model = CompiledModel.from_file(path, hardware_accel=accelerator, environment=environment)
    given, taken = model.create_input_buffers(0), model.create_output_buffers(0)
    results = []
    for _ in range(runs):
        for buffer, value in zip(given, inputs):
            value = np.ascontiguousarray(value)
            buffer.write(value.view(np.int8) if value.dtype in RAW else value)
        model.run_by_index(0, given, taken)
        results = []
        for buffer, like in zip(taken, outputs):
            if like.dtype in RAW:
                raw = np.asarray(buffer.read(like.nbytes, np.int8)).view(like.dtype)
            else:
                raw = np.asarray(buffer.read(like.size, like.dtype))
            results.append(raw.reshape(like.shape))
    return results


def difference(got, want):
    """None if both are equal enough, or what is different."""
    if want.dtype.kind == "f":
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        finite = want[np.isfinite(want)]
        limit = FLOAT_TOLERANCE * max(float(np.abs(finite).max()) if finite.size else 0, 1e-30)
        with np.errstate(invalid="ignore"):
            worst = np.abs(np.where(same, 0, got.astype(np.float64) - want)).max() if want.size else 0
        return None if worst <= limit else "differs by %g, allowed %g" % (worst, limit)
    different = int((got != want).sum())
    return None if not different else "%d of %d numbers differ" % (different, want.size)


def differences(results, wanted, name, today):
    """What is wrong with all outputs, "" if nothing is."""
    if not today:
        return "; ".join("output %d %s" % (i, d) for i, d in enumerate(map(difference, results, wanted)) if d)
    steps, share = clients.largest(zip(results, wanted))
    return "" if clients.is_near(name, steps, share) else "differs by %s steps, %s of the range" % (steps, share)


def runs_without(path, judged, environment):
    """Whether LiteRT runs a model on its CPU."""
    try:
        compiled(path, *judged, environment, HardwareAccelerator.CPU, 1)
        return True
    except (RuntimeError, ValueError):
        return False


def captured(function, *arguments):
    """What a function writes on standard error, which libraries do too."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            function(*arguments)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read().decode(errors="replace")


def refused(path, judged, environment, reason):
    """What is wrong with a model that LiteRT has to refuse, with a line of nnaccel's."""
    def run():
        try:
            compiled(path, *judged, environment, HardwareAccelerator.NPU, 1)
        except (RuntimeError, ValueError):
            return
        print("nnaccel took it", file=sys.stderr, flush=True)
    text = captured(run)
    line = [line for line in text.splitlines() if line.startswith("nnaccel:") and reason in line]
    return "" if line and "nnaccel took it" not in text else "there is no line with \"%s\"" % reason


def check(path, options, environment):
    """A line that says what is wrong with a model, "" if nothing is, or None if it is skipped."""
    name = os.path.splitext(os.path.basename(path))[0]
    judged = None if name in UNJUDGED else ask_judge(options.judge, path, options.seed)
    if not judged:
        return None
    if name in LEFT:
        return refused(path, judged, environment, LEFT[name])
    try:
        results = compiled(path, *judged, environment, HardwareAccelerator.NPU)
    except (RuntimeError, ValueError) as error:
        return str(error).splitlines()[0] if runs_without(path, judged, environment) else None
    return differences(results, judged[1], name, options.today)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries")
    parser.add_argument("--judge")
    parser.add_argument("--reference")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    if options.reference:
        reference(options.models[0], options.seed, options.reference)
        return 0
    folder = os.path.abspath(options.libraries)
    environment = Environment.create(compiler_plugin_path=folder, dispatch_library_path=folder)
    counts = [0, 0, 0]
    for path in options.models:
        name = os.path.basename(path)
        flaw = check(path, options, environment)
        counts[2 if flaw is None else 1 if flaw else 0] += 1
        print("not ok %s: %s" % (name, flaw) if flaw else
              "ok %s%s" % (name, " # SKIP LiteRT does not run it, or wrongly" if flaw is None else ""), flush=True)
    print("%d passed, %d failed, %d skipped" % tuple(counts))
    return 1 if counts[1] or not counts[0] else 0


if __name__ == "__main__":
    sys.exit(main())
