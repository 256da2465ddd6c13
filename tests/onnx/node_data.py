#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ONNX' own tests of operators as folders that onnx_run takes: node_data.py FOLDER

The package onnx makes them: a model of one operator, its inputs and its outputs. What is no tensor
(sequences, optional values) is left out.
"""
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

warnings.simplefilter("ignore")


def tensor(value):
    return value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(
        np.asarray(value))


def main():
    count = 0
    for case in collect_testcases(None):
        folder = Path(sys.argv[1], case.name)
        try:
            sets = [[[tensor(v) for v in values] for values in data] for data in case.data_sets]
        except Exception:  # pylint: disable=broad-except
            continue
        for i, (inputs, outputs) in enumerate(sets):
            data = folder / f"test_data_set_{i}"
            data.mkdir(parents=True, exist_ok=True)
            for name, values in (("input", inputs), ("output", outputs)):
                for k, value in enumerate(values):
                    (data / f"{name}_{k}.pb").write_bytes(value.SerializeToString())
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        count += 1
    print(f"{count} cases")


main()
