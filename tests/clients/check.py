#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs models on the NNA and with TFLite's reference kernels, and compares.

    check.py [--nnactl PROGRAM] [--device NAME] MODEL...

One line for each model: its operators, how many of them the NNA took, and the largest difference of
an output. Differences of integers are in steps, those of floats relative to the range of the
output. Inputs come from fixed seeds. The last line counts what passed.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

# Most steps of integers, and most of a float output's range, that a model may be off; the reason
# stands beside each.
STEPS = 0
FLOATS = 1e-5
HYBRID = 1e-4
# TFLite computes these in fixed point or by tables of its own, the NNA in floats: it is nearer to
# the real function, and a step or two from TFLite.
ALLOWED = {
    "attention-int8": (1, FLOATS),  # RSQRT, GELU
    "divisions-int8": (1, FLOATS),  # RSQRT
    "reduce-int8": (1, FLOATS),  # SUM, against LiteRT's own
    "mobilenet_v3-int8": (1, FLOATS),  # HARD_SWISH
    "batch_matmul-int16x8": (1, FLOATS),  # BATCH_MATMUL
    "concat-int16x8": (1, FLOATS),  # MUL
    "dense-int16x8": (1, FLOATS),  # TANH, SOFTMAX
    "leaky_relu-int16x8": (1, FLOATS),  # LEAKY_RELU
    "mobilenet_v2-int16x8": (1, FLOATS),  # ADD, MEAN
    "pool_same-int16x8": (1, FLOATS),  # ADD
    "sigmoids-int16x8": (2, FLOATS),  # LOGISTIC, TANH
    "softmax-int16x8": (1, FLOATS),  # SOFTMAX
}
# Models with an operator that is left: they have to be refused by its name.
LEFT = {"atan2-float": "ATAN2", "bitwise-float": "BITWISE_XOR", "nms-float": "SLICE",
        "conv_3d_transpose-float": "CONV_3D_TRANSPOSE", "rfft2d-float": "RFFT2D",
        "segment_sum-float": "SEGMENT_SUM", "unsorted_segments-float": "UNSORTED_SEGMENT_MAX"}
# Models with an operator whose reference kernel is wrong: LiteRT's own kernels are compared with.
OWN = {"reduce-int8"}  # SUM of INT8 gives the zero point


def make_input(detail, rng, shape):
    kind = detail["dtype"]
    if kind in (np.float32, np.float16):
        return (rng.random(shape) * 2 - 1).astype(kind)
    if kind == np.bool_:
        return rng.random(shape) > 0.5
    if kind in (np.int32, np.int64):
        return rng.integers(-20, 20, shape).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max + 1, shape).astype(kind)


def reference(path, inputs, shapes):
    """What the reference kernels give, or LiteRT's own where the set of those has a gap (ELU)."""
    resolver = OpResolverType.BUILTIN_REF
    if path.stem in OWN:
        resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    try:
        interpreter = Interpreter(model_path=str(path), num_threads=1,
                                  experimental_op_resolver_type=resolver)
    except ValueError:
        interpreter = Interpreter(
            model_path=str(path), num_threads=1, experimental_op_resolver_type=
            OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    for detail in interpreter.get_input_details():
        shape = shapes(detail)
        if list(shape) != list(detail["shape"]):
            interpreter.resize_tensor_input(detail["index"], shape)
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], inputs(detail))
    interpreter.invoke()
    return [(d["name"], interpreter.get_tensor(d["index"]))
            for d in interpreter.get_output_details()], interpreter


def operators(interpreter):
    return [op["op_name"] for op in interpreter._get_ops_details() if op["op_name"] != "DELEGATE"]


def differ(ours, theirs):
    """The largest difference: (steps of integers, or None; share of the range, or None)."""
    if ours.size == 0:
        return 0, None
    if theirs.dtype.kind in "iub":
        return int(np.max(np.abs(ours.astype(np.int64) - theirs.astype(np.int64)))), None
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    if np.any(np.isnan(a) != np.isnan(b)):
        return None, float("inf")
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    span = max(float(b.max() - b.min()), float(np.abs(b).max()), 1e-30)
    return None, float(np.max(np.abs(a - b))) / span


def check(path, nnactl, device):
    """The line of a model, and whether it passed; None where it is refused as it should be."""
    rng = np.random.default_rng(11)
    made = {}

    def shapes(detail):
        signature = detail["shape_signature"]
        return [3 if n < 0 else n for n in signature] if len(signature) else list(detail["shape"])

    def inputs(detail):
        if detail["index"] not in made:
            made[detail["index"]] = make_input(detail, rng, shapes(detail))
        return made[detail["index"]]
    outputs, interpreter = reference(path, inputs, shapes)
    count = len(operators(interpreter))
    with tempfile.TemporaryDirectory() as folder:
        raw_in, raw_out = Path(folder, "in"), Path(folder, "out")
        details = interpreter.get_input_details()
        raw_in.write_bytes(b"".join(made[d["index"]].tobytes() for d in details))
        command = [nnactl, "run", str(path), "--device", device, "--raw-input", str(raw_in),
                   "--raw-output", str(raw_out)]
        if any(n < 0 for d in details for n in d["shape_signature"]):
            for d in details:
                command += ["--shape", ",".join(str(n) for n in made[d["index"]].shape)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if run.returncode:
            reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
            reason = reason.replace("nnactl: ", "").replace(str(path) + ": ", "")
            named = f"({LEFT.get(path.stem)})" in reason
            return f"{count:5} {0:5}  refused: {reason}", None if named else False
        data = raw_out.read_bytes()
    steps, share = None, None
    for name, theirs in outputs:
        if len(data) < theirs.nbytes:
            return f"{count:5} {count:5}  too few bytes of output {name}", False
        ours = np.frombuffer(data[:theirs.nbytes], theirs.dtype).reshape(theirs.shape)
        data = data[theirs.nbytes:]
        s, f = differ(ours, theirs)
        steps = s if steps is None or (s is not None and s > steps) else steps
        share = f if share is None or (f is not None and f > share) else share
    name = path.stem
    most_steps, most_share = ALLOWED.get(name, (STEPS, HYBRID if "dynamic" in name else FLOATS))
    good = not data and (steps is None or steps <= most_steps) and \
        (share is None or share <= most_share)
    text = " ".join(([f"{steps} steps"] if steps is not None else []) +
                    ([f"{share:.1e}"] if share is not None else []))
    return f"{count:5} {count:5}  {text}{'' if good else '  TOO FAR'}", good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nnactl", default="build/bin/nnactl")
    parser.add_argument("--device", default="loopback")
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    passed = failed = skipped = 0
    print(f"{'model':28} {'ops':>5} {'NNA':>5}  largest difference")
    for path in options.models:
        try:
            line, good = check(path, options.nnactl, options.device)
        except Exception as error:
            line, good = f"    -     -  {str(error).strip().splitlines()[0][:120]}", False
        passed, failed = passed + (good is True), failed + (good is False)
        skipped += good is None
        print(f"{path.stem:28} {line}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


sys.exit(main())
