#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
cost: what a front end adds to a run of mobilenet_v1_0.25_128_quant on the loopback.

    cost.py litert SUPPORT FOLDER MODEL.tflite
    cost.py onnxruntime SUPPORT MODEL.onnx

The model runs through the runtime, and by nna_execution_compute() in the same process, in turns; the ratio of the
medians is printed, but fails nothing, as no test fails by a clock. What fails: the front end's library allocates in a
run, or copies more than what is not the device's. SUPPORT is
build/tests/runtimes/libsupport.so. Prints "N passed, N failed, N skipped" last.
"""
import ctypes
import os
import statistics
import sys
import time

INPUT, OUTPUT = (1, 128, 128, 3), (1, 1001)
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


def compare(name, run, direct):
    """
    Times of both in turns: medians, the median of the ratios of neighbours, and the first deciles, which hold on a
    machine that has other things to do.
    """
    times = [], []
    for number in range(ROUNDS + 10):
        # Which one is first changes, so that neither always finds the caches of the other.
        for which in (0, 1) if number % 2 else (1, 0):
            begin = time.perf_counter_ns()
            (run, direct)[which]()
            times[which].append(time.perf_counter_ns() - begin)
    runtime, alone = (statistics.median(t[10:]) for t in times)
    pairs = statistics.median(a / b for a, b in zip(times[0][10:], times[1][10:]))
    deciles = [sorted(t[10:])[ROUNDS // 10] for t in times]
    print("%s: %.1f us, nna_execution_compute(): %.1f us, ratio of medians %.3f, median of ratios %.3f, of first "
          "deciles %.3f, %d rounds" % (name, runtime / 1000, alone / 1000, runtime / alone, pairs,
                                       deciles[0] / deciles[1], ROUNDS), flush=True)


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


def onnxruntime(support, path):
    import numpy as np  # pylint: disable=import-outside-toplevel
    import onnxruntime as ort  # pylint: disable=import-outside-toplevel
    import onnxruntime_ep_nnaccel as ep  # pylint: disable=import-outside-toplevel

    ort.register_execution_provider_library("nnaccel", ep.get_library_path())
    options = ort.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    # So that both compile the same graph, and no threads of ONNX Runtime's spin on the CPU.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.add_provider_for_devices([d for d in ort.get_ep_devices() if d.ep_name == ep.get_ep_name()][-1:], {})
    session = ort.InferenceSession(path, sess_options=options, enable_fallback=0)
    kinds = {"tensor(float)": np.float32, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}
    one, = session.get_inputs()
    result, = session.get_outputs()
    x = (np.arange(np.prod(one.shape)) % 251).astype(kinds[one.type]).reshape(one.shape)
    mine, theirs = (np.zeros(result.shape, kinds[result.type]) for _ in range(2))
    binding = session.io_binding()
    binding.bind_ortvalue_input(one.name, ort.OrtValue.ortvalue_from_numpy(x))
    bound = ort.OrtValue.ortvalue_from_numpy(mine)
    binding.bind_ortvalue_output(result.name, bound)
    direct = Direct(support, path)
    direct.bind(x.ctypes.data_as(ctypes.c_void_p), theirs.ctypes.data_as(ctypes.c_void_p))

    def run():
        session.run_with_iobinding(binding)
    run()
    direct.run()
    tell(np.array_equal(bound.numpy(), theirs) and len(np.unique(theirs)) > 1, "the same results")
    compare("ONNX Runtime", run, direct.run)
    tell(direct.library.watch_begin(b"libonnxruntime_providers_nnaccel.so") > 3, "the provider is watched")
    taken(direct.library)
    for _ in range(COUNTED):
        run()
    allocations, copied = taken(direct.library)
    tell(allocations == 0, "allocations of %d runs: %d" % (COUNTED, allocations))
    tell(copied <= COUNTED * (x.nbytes + theirs.nbytes + 256), "bytes that %d runs copied: %d, of %d" %
         (COUNTED, copied, COUNTED * (x.nbytes + theirs.nbytes)))
    direct.library.direct_free(direct.handle)


def main():
    # Both share one CPU, so that neither waits for threads of the other one.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    {"litert": litert, "onnxruntime": onnxruntime}[sys.argv[1]](*sys.argv[2:])
    print("%d passed, %d failed, 0 skipped" % tuple(counts))
    return 1 if counts[1] else 0


sys.exit(main())
