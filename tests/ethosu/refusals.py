#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What nnactl says of an Ethos-U that it cannot use, and of models and jobs that come to nothing: one
line, which names the thing that is wrong, and an end.

    $(tests/ethosu/setup) refusals.py [--build DIRECTORY] MODEL.tflite

Vela compiles the model, for the rows that need a file of its. The node is the one of
tests/ethosu/node.h, without a VM. The last line is "N passed, N failed".
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/tools"), str(TOP / "tests/ethosu")]
import compiler  # noqa: E402
import model as tf  # noqa: E402

NODE = "/dev/accel/accel77"
RUN = f"run x.tflite --raw-input in --raw-output out --device {NODE}"
U65 = {"ETHOSU_NODE_MODEL": "ethos-u65-256"}
SECONDS = 60  # a run that has not ended by then hangs

# (environment, command line, status, words of the line)
ROWS = [
    # A model with nothing that the NPU does.
    (U65, RUN, 1, ["x.tflite", "operator 0 (NEG)", NODE]),
    (U65, RUN + " --fallback loopback", 0, ["0 of 1 operator on " + NODE, "loopback"]),
    # A configuration that nobody knows: of a generation, and another generation.
    (dict(U65, ETHOSU_NODE_CONFIG="0x10003003"), RUN, 1, [NODE, "0x10003003", "not known"]),
    (dict(U65, ETHOSU_NODE_CONFIG="0x30003008"), f"info --device {NODE}", 1,
     [NODE, "0x30003008", "not known"]),
    (dict(U65, ETHOSU_NODE_CONFIG="0"), RUN, 1, [NODE, "0x00000000", "not known"]),
    # A kernel without the driver, for a file that needs the NPU; and one that could have it.
    ({"ETHOSU_NODE_KERNEL": "6.12.9"}, "run vela.tflite --raw-input in --raw-output out", 1,
     ["Linux 6.12.9 is too old", "6.19", "CONFIG_DRM_ACCEL_ARM_ETHOSU"]),
    ({"ETHOSU_NODE_KERNEL": "7.0.0"}, "run vela.tflite --raw-input in --raw-output out", 1,
     ["no Ethos-U", "modprobe ethosu"]),
    # Jobs that hang, or fail before the fence is there.
    (dict(U65, ETHOSU_NODE_FAULT="hang"), RUN.replace("x.t", "add.t"), 1, ["add.tflite"]),
    (dict(U65, ETHOSU_NODE_FAULT="quick"), RUN.replace("x.t", "add.t"), 1, ["add.tflite"]),
]


def write_models(folder, model):
    made = compiler.Compiler(sys.executable)
    made.compile(model, "ethos-u65-256", folder, form="tflite").rename(folder / "vela.tflite")
    made.close()
    (folder / "x.tflite").write_bytes(bytes(tf.each([tf.tensor("x", [1, 4])], tf.NEG)))
    values = [tf.tensor(name, [1, 16], tf.INT8, (0.5, 0)) for name in ("a", "b", "sum")]
    (folder / "add.tflite").write_bytes(bytes(tf.model(values, [(tf.ADD, [0, 1], [2], {0: ("b", 0)})],
                                                       [0, 1], [2])))


def wrong_with(build, folder, row):
    environment, line, status, words = row
    name = line.split()[1]
    size = {"x.tflite": 16, "add.tflite": 32, "vela.tflite": 16}.get(name, 0)
    (folder / "in").write_bytes(bytes(size))
    try:
        done = subprocess.run([build / "bin/nnactl", *line.split()], cwd=folder, text=True,
                              capture_output=True, timeout=SECONDS,
                              env=dict(os.environ, **environment,
                                       LD_PRELOAD=str(build / "tests/libethosu_node.so")))
    except subprocess.TimeoutExpired:
        return "it hangs"
    said = done.stderr.strip()
    if done.returncode != status:
        return f"status {done.returncode}: {said}"
    missing = [word for word in words if word not in said]
    if missing or "\n" in said:
        return f"'{said}', expected one line with {missing or words}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("model", type=Path)
    options = parser.parse_args()
    build = options.build.absolute()
    failed = 0
    with tempfile.TemporaryDirectory() as path:
        write_models(Path(path), options.model)
        for row in ROWS:
            wrong = wrong_with(build, Path(path), row)
            failed += bool(wrong)
            print("FAILED" if wrong else "ok", row[1], row[0], wrong)
    print(f"{len(ROWS) - failed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
