#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Mobile networks with random weights, for `make bench`: networks.py FOLDER [NAME...]

Their speed is that of trained ones of the same shape. Floats, and what ../shared/models has no
network of: other widths and sizes of pictures, so that a kernel that is fast for one shape alone
is seen. A model that is there already is kept: remove the folder after a change.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))

import models  # noqa: E402  (first: it quietens TensorFlow)

NETWORKS = {"mobilenet_v1": models.keras.applications.MobileNet,
            "mobilenet_v2": models.keras.applications.MobileNetV2}
# Network, width, side of the picture, and how it is quantised.
MADE = [("mobilenet_v1", 1.0, 224, "float"), ("mobilenet_v2", 1.0, 224, "float"),
        ("mobilenet_v1", 0.5, 160, "int8"), ("mobilenet_v1", 0.75, 96, "int8"),
        ("mobilenet_v2", 0.5, 192, "int8"), ("mobilenet_v2", 0.75, 128, "int8")]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for network, width, side, way in MADE:
        name = f"{network}_{width}_{side}_{way}"
        path = folder / (name + ".tflite")
        if path.exists() or len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        models.tf.random.set_seed(1)
        built = NETWORKS[network](input_shape=(side, side, 3), alpha=width, weights=None)
        part = path.with_suffix(".part")
        part.write_bytes(models.convert(built, [(1, side, side, 3)], way))
        part.rename(path)


main()
