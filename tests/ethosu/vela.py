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


def is_u85(cmd):
    """Whether the payload says that it is for a U85."""
    words = np.frombuffer(cmd[: len(cmd) // 4 * 4], "<u4")
    return words[1] & 0xFF == ACTION_CONFIG and words[2] >> 28 == 2


# Settings of the region of weights, scales and a DMA; bit 8 of the last: no region.
REGION_SETTINGS = (0x128, 0x129, 0x130, 0x131, 0x134)
# The region of a map, and its precision: on a U85 chained maps and scalars have no memory.
MAPS = {0x10F: 0x105, 0x11F: 0x114, 0x18F: 0x185}
KERNELS = (2, 3, 5, 6, 7)


def regions_of(stream, u85):
    """The regions that a stream uses."""
    regions, at, settings = set(), 0, {}
    while at < len(stream):
        word = int(stream[at])
        code, value = word & 0x3FF, word >> 16
        if word >> 14 & 3:
            at += 2
            continue
        at += 1
        settings[code] = value
        if code in REGION_SETTINGS and not value & 0x100:
            regions.add(value & 7)
        for region, precision in MAPS.items() if code in KERNELS else ():
            if region in settings and not (u85 and settings.get(precision, 0) >> 15):
                regions.add(settings[region] & 7)
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
        used = regions_of(self.stream, is_u85(d["cmd_data"].item()))
        if self.constants_region not in used:
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
