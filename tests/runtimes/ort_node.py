#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
ort_node: ONNX Runtime on a node of the driver, in a guest: it lists the NPU, and sessions run on it.

    ort_node.py LIBRARY FOLDER...

A folder is a case of tests/onnx. Prints "N passed, N failed, N skipped" last.
"""
import os
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort

NAME = "NNAccelExecutionProvider"
counts = [0, 0]


def tell(right, what):
    counts[not right] += 1
    print("%s %s" % ("ok" if right else "not ok", what), flush=True)


def make(path, device):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    if device is None:
        options.set_provider_selection_policy(ort.OrtExecutionProviderDevicePolicy.PREFER_NPU)
    else:
        options.add_provider_for_devices([device], {})
    return ort.InferenceSession(str(path), sess_options=options, enable_fallback=0)


def nodes():
    """Nodes of the driver that this process has open."""
    links = [os.path.join("/proc/self/fd", fd) for fd in os.listdir("/proc/self/fd")]
    return [os.readlink(link) for link in links if os.path.islink(link) and "/dev/accel/" in os.readlink(link)]


def main():
    ort.register_execution_provider_library("nnaccel", sys.argv[1])
    devices = [d for d in ort.get_ep_devices() if d.ep_name == NAME]
    npus = [d for d in devices if d.device.type == ort.OrtHardwareDeviceType.NPU]
    tell(len(npus) == 1 and npus[0].device.vendor_id == 0x1234 and npus[0].device.device_id == 0x4e41,
         "ONNX Runtime lists the NPU: %s" % [(d.device.type.name, hex(d.device.device_id)) for d in devices])
    tell(npus[0].ep_metadata["nnaccel_device"] == "/dev/accel/accel0", "and knows its node")
    tell(not nodes(), "no node is open before a session")
    for folder in map(Path, sys.argv[2:]):
        npu = make(folder / "model.onnx", npus[0])
        loopback = make(folder / "model.onnx", devices[-1])
        random = np.random.default_rng(1)
        feeds = {i.name: random.uniform(-1, 1, [d if isinstance(d, int) else 1 for d in i.shape]).astype("f4")
                 for i in npu.get_inputs()}
        tell(nodes(), "%s: the node is open" % folder.name)
        tell(all(np.array_equal(a, b) for a, b in zip(npu.run(None, feeds), loopback.run(None, feeds))),
             "%s: as on the loopback" % folder.name)
        del npu, loopback
    chosen = make(Path(sys.argv[2]) / "model.onnx", None)
    tell(NAME in chosen.get_providers() and nodes(), "PREFER_NPU chooses it")
    del chosen
    # The runtime lists it as before.
    for driver in Path("/sys/bus/pci/drivers/nna").glob("*:*"):
        (driver / "driver" / "unbind").write_text(driver.name)
    try:
        make(Path(sys.argv[2]) / "model.onnx", npus[0])
        tell(False, "a node that went away: a session was made")
    except Exception as error:  # pylint: disable=broad-except
        tell("/dev/accel/accel0" in str(error), "a node that went away is named: %s" % str(error)[-160:])
    ort.unregister_execution_provider_library("nnaccel")
    tell(not nodes(), "nothing is open at the end")
    print("%d passed, %d failed, 0 skipped" % tuple(counts))
    return 1 if counts[1] else 0


sys.exit(main())
