#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""TFLite models as ONNX ones, for tests/bench/peers.py: convert.py FOLDER MODEL...

tf2onnx writes quantised operators as float ones between DequantizeLinear and QuantizeLinear (QDQ),
which ONNX Runtime fuses as it loads them. A model that tf2onnx refuses is named and left out.
"""

import subprocess
import sys
from pathlib import Path

OPSET = "13"

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for path in map(Path, sys.argv[2:]):
    to = folder / (path.stem + ".onnx")
    if to.exists() and to.stat().st_mtime >= path.stat().st_mtime:
        continue
    done = subprocess.run([sys.executable, "-m", "tf2onnx.convert", "--opset", OPSET, "--tflite",
                           str(path), "--output", str(to) + ".part"],
                          capture_output=True, text=True, timeout=600)
    if done.returncode:
        print(f"{path.stem}: tf2onnx: " + done.stderr.strip().splitlines()[-1])
    else:
        Path(str(to) + ".part").rename(to)
