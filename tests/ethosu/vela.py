# SPDX-License-Identifier: MIT
"""Vela's raw output, and how the device model runs it.

A raw output (--output-format raw) is an .npz: the command stream with Vela's header, the constants,
and where inputs and outputs are. load() takes it apart, run() hands it to ethosu_run.
"""

import os
import subprocess
import tempfile

import numpy as np

ACTION_STREAM = 2
ACTION_CONFIG = 1


def words_of(cmd):
    """The words of the command stream in Vela's payload."""
    assert cmd[:4] == b"COP1", "not a payload of Vela"
    words = np.frombuffer(cmd[: len(cmd) // 4 * 4], "<u4")
    at = 1
    while at < len(words):
        word = int(words[at])
        action = word & 0xFF
        if action == ACTION_CONFIG:
            at += 3
        elif action == ACTION_STREAM:
            length = (word >> 16) | (word >> 8 & 0xFF) << 16
            return words[at + 1 : at + 1 + length]
        else:
            at += 1
    raise ValueError("no command stream in the payload")


# Settings of the region of a map, of weights, scales and a DMA; bit 8 of the last: no region.
REGION_SETTINGS = (0x10F, 0x11F, 0x18F, 0x128, 0x129, 0x130, 0x131, 0x134)


def regions_of(stream):
    """The regions that a stream names."""
    regions, at = set(), 0
    while at < len(stream):
        word = int(stream[at])
        if word >> 14 & 3 == 0 and word & 0x3FF in REGION_SETTINGS and not word >> 24 & 1:
            regions.add(word >> 16 & 7)
        at += 2 if word >> 14 & 3 else 1
    return regions


class Program:
    """A model that Vela has compiled to one command stream."""

    def __init__(self, path):
        d = np.load(path, allow_pickle=True)
        self.stream = words_of(d["cmd_data"].item())
        # NumPy stores no bytes as one of zero.
        data = np.asarray(d["weight_data"])
        self.constants = data.tobytes() if data.tobytes() != b"\0" else b""
        self.constants_region = int(d["weight_region"])
        if self.constants_region not in regions_of(self.stream):
            self.constants = b""
        self.regions = {}
        for name in ("scratch", "scratch_fast"):
            if int(d[name + "_size"]):
                self.regions[int(d[name + "_region"])] = int(d[name + "_size"])
        self.inputs = self._tensors(d, "input")
        self.outputs = self._tensors(d, "output")
        # State begins as the zero point, as TFLite's does; that of 16 bits is 0. Uses are listed.
        zeros = [int(np.ravel(q["zero_point"])[0]) for q in d["variable_quantization"].ravel()]
        self.variables = dict(zip(self._tensors(d, "variable"), zeros))
        for region, offset, size in self.inputs + self.outputs + list(self.variables):
            self.regions[region] = max(self.regions.get(region, 0), offset + size)

    @staticmethod
    def _tensors(d, name):
        result = []
        count = len(d[name + "_region"])
        for i, shape in enumerate(np.atleast_2d(d[name + "_shape"])[:count]):
            size = int(np.prod(np.asarray(shape, np.int64))) * int(d[name + "_elem_size"][i])
            result.append((int(d[name + "_region"][i]), int(d[name + "_offset"][i]), size))
        return result


def files(program, inputs, folder):
    """Write what a run needs into the folder. Returns arguments of ethosu_run and ethosu_drive, and
    the path of each output."""
    def put(name, data):
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    args = ["--stream", put("stream", program.stream.tobytes())]
    # The kernel's driver takes no buffer for a region that the stream does not use.
    if program.constants:
        args += ["--region", "%d:%d=%s" % (program.constants_region, len(program.constants),
                                           put("constants", program.constants))]
    for region, size in program.regions.items():
        args += ["--region", "%d:%d" % (region, size)]
    for i, ((region, offset, size), data) in enumerate(zip(program.inputs, inputs)):
        assert len(data) == size, "input %d has %d bytes, expected %d" % (i, len(data), size)
        args += ["--write", "%d:%d=%s" % (region, offset, put("in%d" % i, data))]
    for i, ((region, offset, size), zero) in enumerate(program.variables.items()):
        args += ["--write", "%d:%d=%s" % (region, offset, put("state%d" % i,
                                                              bytes([zero & 0xFF]) * size))]
    names = []
    for i, (region, offset, size) in enumerate(program.outputs):
        names.append(os.path.join(folder, "out%d" % i))
        args += ["--read", "%d:%d:%d=%s" % (region, offset, size, names[-1])]
    return args, names


def run(binary, config, program, inputs, threads=1, repeat=1, strict=False):
    """Run a program. inputs: bytes of each. Returns bytes of each output, and what was printed.
    strict: what the hardware does not promise is an error."""
    with tempfile.TemporaryDirectory() as folder:
        args, names = files(program, inputs, folder)
        r = subprocess.run([binary, "--config", config, "--threads", str(threads), "--repeat",
                            str(repeat), "--strict", "on" if strict else "off", *args],
                           capture_output=True, text=True)
        if r.returncode:
            raise RuntimeError("ethosu_run: status %d\n%s" % (r.returncode, r.stderr))
        reports = [line for line in r.stderr.splitlines() if ": strict: " in line]
        if reports:
            raise RuntimeError("%d reports, the first: %s" % (len(reports), reports[0]))
        return [open(n, "rb").read() for n in names], r.stdout
