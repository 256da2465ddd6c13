#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The delegate in TensorFlow's own interpreter, or in tflite-runtime's.

    hosts.py --host tensorflow|tflite_runtime [--nnactl PROGRAM] --delegate LIBRARY MODEL...

Each model runs twice with the delegate; where it takes all operators, the outputs have to be the
bytes that nnactl gives for the same inputs, else they are only finite. A model that the host does
not load without the delegate either is skipped. The last line counts what passed.
"""

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np

from session import Stderr, allocate, invoke_twice


def load_host(name):
    """Its Interpreter, load_delegate, the resolver without XNNPACK, and its version."""
    if name == "tensorflow":
        tf = importlib.import_module(name)
        kinds = tf.lite.experimental.OpResolverType
        return tf.lite.Interpreter, tf.lite.experimental.load_delegate, kinds, tf.__version__
    module = importlib.import_module(name + ".interpreter")
    version = importlib.import_module(name).__version__
    return module.Interpreter, module.load_delegate, module.OpResolverType, version


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


def shape_of(detail):
    signature = detail["shape_signature"]
    return [3 if n < 0 else n for n in signature] if len(signature) else list(detail["shape"])


def run(interpreter):
    """The outputs of two runs, and the inputs, the same in every host."""
    allocate(interpreter, shape_of)
    rng = np.random.default_rng(5)
    inputs = {detail["index"]: make_input(detail, rng, shape_of(detail))
              for detail in interpreter.get_input_details()}
    return invoke_twice(interpreter, lambda detail: inputs[detail["index"]]), list(inputs.values())


def same(first, second):
    return all(a.tobytes() == b.tobytes() for a, b in zip(first, second))


def nnactl_outputs(nnactl, device, path, inputs, dynamic):
    with tempfile.TemporaryDirectory() as folder:
        raw_in, raw_out = Path(folder, "in"), Path(folder, "out")
        raw_in.write_bytes(b"".join(a.tobytes() for a in inputs))
        command = [nnactl, "run", str(path), "--device", device, "--raw-input", str(raw_in),
                   "--raw-output", str(raw_out)]
        if dynamic:
            for a in inputs:
                command += ["--shape", ",".join(str(n) for n in a.shape)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        return raw_out.read_bytes()


def check(path, host, delegate, options):
    """What is to be said of a model, and whether it passed; None where the host refuses it."""
    Interpreter, _, kinds, _ = host
    plain = {"model_path": str(path), "num_threads": 1,
             "experimental_op_resolver_type": kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES}
    try:
        alone, _ = run(Interpreter(**plain))
    except (ValueError, RuntimeError) as error:
        return "the host refuses it: " + str(error).strip().splitlines()[0][:80], None
    with Stderr() as stderr:
        interpreter = Interpreter(**plain, experimental_delegates=[delegate])
    counts = re.findall(r"(\d+) of (\d+) operators? on ", stderr.text)
    runs, inputs = run(interpreter)
    if not same(*runs) and same(*alone):
        return "two runs differ, which they do not in the host alone", False
    taken = " ".join("%s/%s" % c for c in counts)
    if not counts or any(a != b for a, b in counts) or "is left" in stderr.text:
        finite = all(np.all(np.isfinite(a)) for a in runs[0] if a.dtype.kind == "f")
        return taken + ", the rest by the host", finite and bool(counts)
    dynamic = any(n < 0 for d in interpreter.get_input_details() for n in d["shape_signature"])
    ours = nnactl_outputs(options.nnactl, options.device, path, inputs, dynamic)
    right = b"".join(a.tobytes() for a in runs[0]) == ours
    return taken + (", as nnactl" if right else ", DIFFERS from nnactl"), right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True, choices=["tensorflow", "tflite_runtime"])
    parser.add_argument("--nnactl", default="build/bin/nnactl")
    parser.add_argument("--delegate", required=True)
    parser.add_argument("--device", default="loopback")
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    host = load_host(options.host)
    delegate = host[1](os.path.abspath(options.delegate),
                       {"device": options.device, "log_level": "info"})
    print(f"the delegate in {options.host} {host[3]}")
    passed = failed = skipped = 0
    for path in options.models:
        try:
            text, good = check(path, host, delegate, options)
        except Exception as error:
            text, good = str(error).strip().splitlines()[0][:120], False
        passed, failed = passed + (good is True), failed + (good is False)
        skipped += good is None
        print(f"{path.stem:28} {text}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


sys.exit(main())
