#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs models on the NNA and with TFLite's reference kernels, and compares.

    check.py [--nnactl PROGRAM] [--delegate LIBRARY] [--device NAME] [--threads N]
             [--integers LOW,HIGH] MODEL...

One line for each model: its operators, how many of them the NNA took, how many the delegate took in
LiteRT, the milliseconds of a run with the delegate and with LiteRT's own kernels (XNNPACK, as many
threads as CPUs or as --threads says), the largest difference of an output of nnactl's from the
reference kernels, and whether the delegate's are the same. A model with operators that the delegate leaves runs in two
halves: its outputs may differ from the reference by as much as any, since nnactl refuses it.
Differences of integers are in steps, those of floats relative to the range of the output. A model
that LiteRT refuses is skipped. Inputs come from fixed seeds. The last line counts what passed; times
are for information.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

from session import Stderr, allocate, invoke, invoke_twice

# Most steps of integers, and most of a float output's range, that a model may be off.
STEPS = 0
FLOATS = 1e-5
HYBRID = 1e-4
# Models that differ by more, for a reason: by how many steps or which share at most.
TIE, EDGE = ("SOFTMAX of INT8 is in FLOAT32: a tie is a step off",
             "a number on the edge of two steps of a hybrid layer goes to the other one, as what is before it "
             "differs by 1e-7")
KNOWN = {"swin-a8w8": (5, TIE), "wav2vec2-a8w8": (4, TIE), "yolos-int4": (2e-3, EDGE),
         "mobilevit-dynamic": (2e-2, EDGE)}
# Limits of inputs of INT32 and INT64.
integers = [-20, 20]
# Models with an operator whose reference kernel is wrong: LiteRT's own kernels are compared with.
OWN = {"reduce-int8"}  # SUM of INT8 gives the zero point


class Refused(Exception):
    """LiteRT does not run the model."""


def make_input(detail, rng, shape):
    kind = detail["dtype"]
    if kind in (np.float32, np.float16):
        return (rng.random(shape) * 2 - 1).astype(kind)
    if kind == np.bool_:
        return rng.random(shape) > 0.5
    if kind in (np.int32, np.int64):
        return rng.integers(*integers, shape).astype(kind)
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
    try:
        allocate(interpreter, shapes)
    except (ValueError, RuntimeError) as error:
        raise Refused(str(error).strip().splitlines()[-1]) from error
    names = [d["name"] for d in interpreter.get_output_details()]
    return list(zip(names, invoke(interpreter, inputs))), interpreter


def delegated(path, inputs, shapes, delegate):
    """Operators that the delegate takes, what it says of others, outputs of two runs, the time."""
    with Stderr() as stderr:
        interpreter = Interpreter(
            model_path=str(path), num_threads=1, experimental_delegates=[delegate],
            experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    taken = re.findall(r"(\d+) of \d+ operators? on ", stderr.text)
    left = sorted(set(re.findall(r"node \d+ \((\w+)\) is left", stderr.text)))
    allocate(interpreter, shapes)
    runs = invoke_twice(interpreter, inputs)
    # The main subgraph comes first; a branch of an IF is another one.
    return int(taken[0]) if taken else 0, left, runs, median_time(interpreter)


def median_time(interpreter):
    """Milliseconds of a run, of the few that fit a short time; one at least."""
    times, begin = [], time.perf_counter()
    while not times or (len(times) < 9 and time.perf_counter() - begin < 0.5):
        start = time.perf_counter()
        interpreter.invoke()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[len(times) // 2]


def own_time(path, inputs, shapes, threads):
    """The same of LiteRT as people use it; None for a model that it does not run so."""
    try:
        interpreter = Interpreter(model_path=str(path), num_threads=threads)
        allocate(interpreter, shapes)
        invoke(interpreter, inputs)
        return median_time(interpreter)
    except (ValueError, RuntimeError):
        return None


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


def largest(pairs):
    """The largest differences of several outputs, as differ() has them."""
    steps, share = None, None
    for ours, theirs in pairs:
        s, f = differ(ours, theirs)
        steps = s if steps is None or (s is not None and s > steps) else steps
        share = f if share is None or (f is not None and f > share) else share
    return steps, share


def is_near(name, steps, share):
    most_steps, most_share = STEPS, HYBRID if "dynamic" in name else FLOATS
    if name in KNOWN:
        most_steps = most_share = KNOWN[name][0]
    return (steps is None or steps <= most_steps) and (share is None or share <= most_share)


def told(steps, share):
    return " ".join(([f"{steps} steps"] if steps is not None else []) +
                    ([f"{share:.1e}"] if share is not None else []))


def check_delegate(path, inputs, shapes, delegate, threads, outputs, ours):
    """
    The delegate's column, what is to be said of it, and whether it passed. @ours is what nnactl
    gave, None where it refused.
    """
    try:
        taken, left, runs, ms = delegated(path, inputs, shapes, delegate)
    except Exception as error:
        return " " * 27, "delegate: " + str(error).strip().splitlines()[-1][:100], False
    text = "left: " + " ".join(left) if left else ""
    own = own_time(path, inputs, shapes, threads)
    taken = f"{taken:>8} {ms:>9.3f} " + (f"{own:>8.3f}" if own is not None else f"{'-':>8}")
    if ours is not None and not left:
        same = all(a.tobytes() == b.tobytes() for run in runs for a, b in zip(run, ours))
        return taken, "" if same else "the delegate's DIFFER", same
    steps, share = largest(zip(runs[0], [theirs for _, theirs in outputs]))
    good = is_near(path.stem, steps, share)
    return taken, f"{text} {told(steps, share)}" + ("" if good else "  TOO FAR"), good


def check(path, nnactl, device, delegate, threads):
    """The line of a model, and whether it passed."""
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
        data = b"" if run.returncode else raw_out.read_bytes()
    ours = None if run.returncode else []
    missing = None
    for name, theirs in outputs if ours is not None else []:
        if len(data) < theirs.nbytes:
            missing = name
            break
        ours.append(np.frombuffer(data[:theirs.nbytes], theirs.dtype).reshape(theirs.shape))
        data = data[theirs.nbytes:]
    taken, more, right = "", "", True
    if delegate:
        taken, more, right = check_delegate(path, inputs, shapes, delegate, threads, outputs, ours)
        taken, more = " " + taken, more and "; " + more
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
        reason = reason.replace("nnactl: ", "").replace(str(path) + ": ", "")
        return f"{count:5} {0:5}{taken}  refused: {reason}{more}", False
    if missing is not None:
        return f"{count:5} {count:5}{taken}  too few bytes of output {missing}", False
    steps, share = largest(zip(ours, [theirs for _, theirs in outputs]))
    good = not data and is_near(path.stem, steps, share)
    text = told(steps, share) + ("" if good else "  TOO FAR")
    if good and path.stem in KNOWN:
        text += "  known: " + KNOWN[path.stem][1]
    return f"{count:5} {count:5}{taken}  {text}{more}", good and right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nnactl", default="build/bin/nnactl")
    parser.add_argument("--delegate", help="libnnaccel_delegate.so, to be run in LiteRT")
    parser.add_argument("--device", default="loopback")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of a run")
    parser.add_argument("--integers", default="-20,20", help="limits of inputs of INT32 and INT64")
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    integers[:] = map(int, options.integers.split(","))
    passed = failed = skipped = 0
    delegate = options.delegate and load_delegate(
        os.path.abspath(options.delegate), {"device": options.device, "log_level": "info"})
    column = f" {'delegate':>8} {'ms':>9} {'LiteRT':>8}" if delegate else ""
    print(f"{'model':28} {'ops':>5} {'NNA':>5}{column}  largest difference")
    for path in options.models:
        try:
            line, good = check(path, options.nnactl, options.device, delegate, options.threads)
        except Refused as error:
            skipped += 1
            print(f"{path.stem:28}     -     -  LiteRT refuses it: {str(error)[:120]}", flush=True)
            continue
        except Exception as error:
            line, good = f"    -     -  {str(error).strip().splitlines()[0][:120]}", False
        passed, failed = passed + good, failed + (not good)
        print(f"{path.stem:28} {line}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
