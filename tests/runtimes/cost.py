#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
cost: what a front end adds to a run of mobilenet_v1_0.25_128_quant on the loopback.

    cost.py litert SUPPORT FOLDER MODEL.tflite
    cost.py onnxruntime SUPPORT MODEL.onnx

The model runs through the runtime, and by nna_execution_compute() in the same process, in turns; the ratio of the
medians is printed, but fails nothing, as no test fails by a clock. What fails: the front end's library allocates in a
run, or copies more than what is not the device's. Both runtimes run by their C interfaces: Python's part is not
theirs. SUPPORT is build/tests/runtimes/libsupport.so. Prints "N passed, N failed, N skipped" last.
"""
import ctypes
import os
import statistics
import sys
import tempfile
import time

INPUT, OUTPUT = (1, 128, 128, 3), (1, 1001)
SMALL = (1, 16)
INPUT_SIZE, OUTPUT_SIZE = 128 * 128 * 3, 1001
ROUNDS = int(os.environ.get("ROUNDS", 400))
COUNTED = 20

counts = [0, 0]


def tell(right, what):
    counts[not right] += 1
    print("%s %s" % ("ok" if right else "not ok", what), flush=True)


class Direct:
    """The model without a runtime."""

    def __init__(self, support, path):
        self.library = library = ctypes.CDLL(support)
        library.direct_create.restype = ctypes.c_void_p
        library.direct_input.restype = library.direct_output.restype = ctypes.c_void_p
        made = library.direct_create(b"loopback", os.fsencode(path))
        if not made:
            raise RuntimeError("%s is not compiled" % path)
        self.handle = ctypes.c_void_p(made)
        self.compute = library.direct_compute

    def bind(self, *memory):
        assert not self.library.direct_bind(self.handle, *memory)

    def run(self):
        assert not self.compute(self.handle)


def taken(library):
    """Allocations and bytes of copies since the last call."""
    numbers = ctypes.c_uint64(), ctypes.c_uint64()
    library.watch_take(*map(ctypes.byref, numbers))
    return [n.value for n in numbers]


def compare(name, run, direct, own=None):
    """
    Times of both in turns: medians, the median of the ratios of neighbours, and the first deciles, which hold on a
    machine that has other things to do. @own is a run of the runtime's that computes next to nothing, likewise in
    turns, so that caches are as they are for the others: what it takes is not the front end's.
    """
    runs = [run, direct] + [own] * (own is not None)
    times = [[] for _ in runs]
    for number in range(ROUNDS + 10):
        # Which one is first changes, so that none always finds the caches of another.
        for which in range(len(runs)) if number % 2 else reversed(range(len(runs))):
            begin = time.perf_counter_ns()
            runs[which]()
            times[which].append(time.perf_counter_ns() - begin)
    times = [t[10:] for t in times]
    runtime, alone, *own_median = (statistics.median(t) / 1000 for t in times)
    pairs = statistics.median(a / b for a, b in zip(*times[:2]))
    deciles = [sorted(t)[ROUNDS // 10] / 1000 for t in times]
    print("%s: %.1f us, nna_execution_compute(): %.1f us, ratio of medians %.3f, median of ratios %.3f, of first "
          "deciles %.3f, %d rounds" % (name, runtime, alone, runtime / alone, pairs, deciles[0] / deciles[1], ROUNDS))
    if own:
        print("%s: its own run of one node on the CPU takes %.1f us; without it the ratio of medians is %.3f, of first "
              "deciles %.3f" % (name, own_median[0], (runtime - own_median[0]) / alone,
                                (deciles[0] - deciles[2]) / deciles[1]))
    sys.stdout.flush()


def litert(support, folder, path):
    from litert_c import Model  # pylint: disable=import-outside-toplevel

    model = Model(path, folder, INPUT, OUTPUT)
    direct = Direct(support, path)
    direct.bind(None, None)
    data = bytes(i * 7 % 251 for i in range(INPUT_SIZE))
    model.memory(model.input, INPUT_SIZE, True)[:] = data
    model.unlock(model.input)
    ctypes.memmove(direct.library.direct_input(direct.handle), data, INPUT_SIZE)
    tell(model.kind(model.input) == model.kind(model.output) == 117, "buffers are the device's")
    model.run()
    direct.run()
    got = bytes(model.memory(model.output, OUTPUT_SIZE))
    model.unlock(model.output)
    tell(got == ctypes.string_at(direct.library.direct_output(direct.handle), OUTPUT_SIZE) and len(set(got)) > 1,
         "the same results")
    compare("LiteRT", model.run, direct.run)
    tell(direct.library.watch_begin(b"libLiteRtDispatch_NNAccel.so") > 3, "the dispatch library is watched")
    taken(direct.library)
    for _ in range(COUNTED):
        model.run()
    allocations, copied = taken(direct.library)
    tell(allocations == 0, "allocations of %d runs: %d" % (COUNTED, allocations))
    tell(copied < COUNTED * OUTPUT_SIZE, "bytes that %d runs copied: %d" % (COUNTED, copied))
    # What shows that copies are counted: an input in the host's memory is one.
    model.use_host_input(data)
    model.run()
    taken(direct.library)
    model.run()
    tell(taken(direct.library)[1] >= INPUT_SIZE, "an input of the host's is copied, and counted")
    direct.library.direct_free(direct.handle)
    model.close()


def make_small(folder):
    """The file of a model of one node, whose run shows what ONNX Runtime takes for any."""
    from onnx import TensorProto, helper, save  # pylint: disable=import-outside-toplevel

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, SMALL) for name in "xy"]
    path = os.path.join(folder, "small.onnx")
    save(helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "small", ends[:1], ends[1:]),
                           opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def onnxruntime(support, path):
    import numpy as np  # pylint: disable=import-outside-toplevel
    import onnxruntime as ort  # pylint: disable=import-outside-toplevel
    import onnxruntime_ep_nnaccel as ep  # pylint: disable=import-outside-toplevel
    from ort_c import FLOAT, INT8, UINT8, Api, Session  # pylint: disable=import-outside-toplevel

    ort.register_execution_provider_library("nnaccel", ep.get_library_path())
    ort.register_execution_provider_library("support", support)
    types = {"tensor(float)": (np.float32, FLOAT), "tensor(uint8)": (np.uint8, UINT8), "tensor(int8)": (np.int8, INT8)}
    model = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    one, = model.get_inputs()
    result, = model.get_outputs()
    x = (np.arange(np.prod(one.shape)) % 251).astype(types[one.type][0]).reshape(one.shape)
    mine, theirs = (np.zeros(result.shape, types[result.type][0]) for _ in range(2))
    api = Api(ctypes.CDLL(support))
    session = Session(api, path, ep.get_ep_name(), (one.name, x, types[one.type][1]),
                      (result.name, mine, types[result.type][1]))
    direct = Direct(support, path)
    direct.bind(x.ctypes.data_as(ctypes.c_void_p), theirs.ctypes.data_as(ctypes.c_void_p))
    run = session.run
    run()
    direct.run()
    tell(np.array_equal(mine, theirs) and len(np.unique(theirs)) > 1, "the same results")
    with tempfile.TemporaryDirectory() as folder:
        own = Session(api, make_small(folder), "CPUExecutionProvider", ("x", np.ones(SMALL, np.float32), FLOAT),
                      ("y", np.ones(SMALL, np.float32), FLOAT))
    compare("ONNX Runtime", run, direct.run, own.run)
    own.close()
    tell(direct.library.watch_begin(b"libonnxruntime_providers_nnaccel.so") > 3, "the provider is watched")
    taken(direct.library)
    for _ in range(COUNTED):
        run()
    allocations, copied = taken(direct.library)
    tell(allocations == 0, "allocations of %d runs: %d" % (COUNTED, allocations))
    # As many bytes as that, too: the provider has run, and not the CPU.
    tell(0 <= copied - COUNTED * (x.nbytes + theirs.nbytes) <= COUNTED * 256, "bytes that %d runs copied: %d, of %d" %
         (COUNTED, copied, COUNTED * (x.nbytes + theirs.nbytes)))
    direct.library.direct_free(direct.handle)
    session.close()


def main():
    # Both share one CPU, so that neither waits for threads of the other one.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    {"litert": litert, "onnxruntime": onnxruntime}[sys.argv[1]](*sys.argv[2:])
    print("%d passed, %d failed, 0 skipped" % tuple(counts))
    return 1 if counts[1] else 0


sys.exit(main())
