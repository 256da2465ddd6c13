#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
litert_node: LiteRT on a node of the driver, in a guest with vgem: buffers of the device, and runs that wait for other
drivers' fences and that other drivers wait for.

    litert_node.py SUPPORT FOLDER MODEL

MODEL is mobilenet_v1_0.25_128_quant, SUPPORT build/tests/runtimes/libsupport.so. Prints "N passed, N failed, N
skipped" last.
"""
import ctypes
import fcntl
import os
import select
import struct
import sys

from litert_c import Model

INPUT, OUTPUT = (1, 128, 128, 3), (1, 1001)
INPUT_SIZE, OUTPUT_SIZE = 128 * 128 * 3, 1001

counts = [0, 0]


def tell(right, what):
    counts[not right] += 1
    print("%s %s" % ("ok" if right else "not ok", what), flush=True)


def signalled(fd, timeout=0):
    """Whether a sync_file has, or a dma-buf has no fence that has not."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(timeout))


class Gate:
    """A fence of vgem."""

    def __init__(self, library):
        self.library = library
        library.support_gate.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(library.support_gate())
        assert self.handle, "there is no vgem"

    def fd(self):
        return os.dup(self.library.support_gate_fd(self.handle))

    def open(self):
        assert not self.library.support_gate_open(self.handle)
        self.library.support_gate_free(self.handle)


def write(model, seed):
    model.memory(model.input, INPUT_SIZE, True)[:] = bytes((i * 7 + seed) % 251 for i in range(INPUT_SIZE))
    model.unlock(model.input)


def read(model):
    data = bytes(model.memory(model.output, OUTPUT_SIZE))
    model.unlock(model.output)
    return data


def main():
    support, folder, path = sys.argv[1:4]
    library = ctypes.CDLL(support)
    model = Model(path, folder, INPUT, OUTPUT)
    with open("/proc/self/maps") as maps:
        tell("/dev/accel/" in maps.read(), "the node is mapped")
    tell(model.kind(model.input) == model.kind(model.output) == 117, "buffers are the device's")
    want = []
    for seed in 0, 100:
        write(model, seed)
        model.run()
        want.append(read(model))
    tell(want[0] != want[1] and len(set(want[0])) > 1, "inputs make a difference")
    library.watch_begin(b"libLiteRtDispatch_NNAccel.so")
    numbers = ctypes.c_uint64(), ctypes.c_uint64()
    library.watch_take(*map(ctypes.byref, numbers))
    model.run()
    library.watch_take(*map(ctypes.byref, numbers))
    tell(numbers[1].value < OUTPUT_SIZE, "bytes that a run copies: %d" % numbers[1].value)

    write(model, 0)
    tell(model.run_async(), "a run goes on after its call")
    fd = model.event_fd(model.output)
    tell(fd is not None and signalled(fd, -1) and read(model) == want[0], "its sync_file signals, with the results")

    # Behind a fence of another driver's.
    write(model, 100)
    gate = Gate(library)
    model.set_event(model.input, gate.fd())
    tell(model.run_async(), "a run behind a fence of vgem goes on after its call")
    end = os.dup(model.event_fd(model.output))
    tell(not signalled(end), "it waits for the fence")
    # And a buffer of another driver's waits for the run: the sync_file becomes a fence of it.
    buffer = library.support_buffer(4096)
    tell(buffer >= 0 and signalled(buffer), "a buffer of vgem is free")
    fcntl.ioctl(buffer, IMPORT_SYNC_FILE, struct.pack("Ii", DMA_BUF_SYNC_WRITE, end))
    tell(not signalled(buffer), "with the run's sync_file it waits")
    gate.open()
    tell(signalled(end, -1) and signalled(buffer, -1), "the fence lets both go on")
    tell(read(model) == want[1], "the results of the run behind the fence")
    os.close(buffer)
    os.close(end)
    model.close()
    print("%d passed, %d failed, 0 skipped" % tuple(counts))
    return 1 if counts[1] else 0


# DMA_BUF_IOCTL_IMPORT_SYNC_FILE of linux/dma-buf.h.
IMPORT_SYNC_FILE = 1 << 30 | 8 << 16 | ord("b") << 8 | 3
DMA_BUF_SYNC_WRITE = 2

sys.exit(main())
