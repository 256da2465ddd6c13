#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weights that Vela has encoded, and what the library makes of the same: values and sizes.

    $(tests/ethosu/setup) weights.py [--build DIRECTORY] MODEL.tflite...

Each model is compiled by Vela for each configuration; ethosu_weights decodes the weights of the
stream, encodes them, and decodes them again. A line for each model and configuration has the bytes
of both. The library's are at most MOST times Vela's. The last line is "N passed, N failed, N
skipped"; skipped is what Vela leaves to the CPU.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
import compiler  # noqa: E402
import vela  # noqa: E402

CONFIGS = ("ethos-u65-256", "ethos-u65-512", "ethos-u85-256", "ethos-u85-512")
MOST = 1.1


def compare(binary, config, program, folder):
    """Return: bytes of Vela's weights, of the library's, and the operations that have some."""
    args, _ = vela.files(program, [bytes(size) for _, _, size in program.inputs], folder)
    done = subprocess.run([binary, "--config", config, *args], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("ethosu_weights: status %d: %s" % (done.returncode, done.stderr))
    return map(int, done.stdout.split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("models", nargs="+")
    a = parser.parse_args()
    binary = str(Path(a.build) / "tests/ethosu_weights")
    passed = failed = skipped = 0
    made = compiler.Compiler(sys.executable)
    for model in a.models:
        for config in CONFIGS:
            name = "%s %s" % (config, Path(model).stem)
            with tempfile.TemporaryDirectory() as folder:
                try:
                    output = made.compile(model, config, folder)
                except compiler.Refused as refused:
                    print("%s: skipped: %s" % (name, refused))
                    skipped += 1
                    continue
                theirs, ours, operations = compare(binary, config, vela.Program(output), folder)
            good = operations and ours <= MOST * theirs
            print("%s %s: %d operations, Vela %d bytes, the library %d: %.3f"
                  % ("ok" if good else "FAILED", name, operations, theirs, ours,
                     ours / max(theirs, 1)))
            passed += bool(good)
            failed += not good
    made.close()
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return bool(failed) or not passed


if __name__ == "__main__":
    sys.exit(main())
