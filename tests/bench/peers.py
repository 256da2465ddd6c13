#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Times of models on the NNA's loopback and in other runtimes: `make bench`.

    peers.py --nnactl PROGRAM --onnx FOLDER [--guest vm/run] [--threads 1,2] [--rounds N]
             [--json FILE] MODEL...

The others are LiteRT, ONNX Runtime (ORT) and OpenVINO (OV), each on the CPU. Each runtime measures
in a process of its own, pinned to as many CPUs as it has threads. They take turns, --rounds times,
so that a busy neighbour meets all of them; what counts is the median of the rounds' medians, and of
that the ratio: times of a shared machine mean little. A ratio above 1 says that the NNA is faster.
FOLDER holds the models as tests/bench/convert.py makes them, for ONNX Runtime; OpenVINO reads
TFLite's files. A runtime whose output is too far from LiteRT's computes something else and is left
out of that row, as is one that refuses the model. In all of them, inputs lie where the runtime
reads them, and outputs where it writes them.

With --guest the NNA also computes for a guest that QEMU emulates, on the same CPUs as its device,
while the peers stay on the bare machine; `make bench-guest`. Beside that time is what the device
takes of it: the rest is the guest's, its driver's and the interrupt's.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WARM_UP = 5
SECONDS = 1.5  # of one measurement, about
WORDS = 100  # of the least vocabulary
STEPS = 8  # by which a converted model's output may differ, in steps of the quantised output


class LiteRt:
    """LiteRT with XNNPACK, as it comes."""

    def __init__(self, path, threads):
        from ai_edge_litert.interpreter import Interpreter
        self.interpreter = Interpreter(model_path=str(path), num_threads=threads)
        self.interpreter.allocate_tensors()
        self.inputs = self.interpreter.get_input_details()

    def set(self):
        for detail in self.inputs:
            self.interpreter.set_tensor(detail["index"],
                                        make_input(detail["shape"], detail["dtype"]))

    def run(self):
        self.interpreter.invoke()

    def outputs(self):
        return [self.interpreter.get_tensor(d["index"])
                for d in self.interpreter.get_output_details()]


class OnnxRuntime:
    """ONNX Runtime's CPU provider with all of its optimisations."""

    def __init__(self, path, threads):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = onnxruntime.InferenceSession(str(path), options,
                                                    providers=["CPUExecutionProvider"])

    def set(self):
        kinds = {"tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(float)": np.float32,
                 "tensor(int32)": np.int32}
        self.feed = {i.name: make_input(i.shape, kinds[i.type]) for i in self.session.get_inputs()}

    def run(self):
        self.result = self.session.run(None, self.feed)

    def outputs(self):
        return self.result


class OpenVino:
    """OpenVINO's CPU plug-in, set to the least latency of a run."""

    def __init__(self, path, threads):
        import openvino
        compiled = openvino.Core().compile_model(
            str(path), "CPU", {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1,
                               # Some CPUs would compute with fewer bits than the model has.
                               "INFERENCE_PRECISION_HINT": "f32",
                               "INFERENCE_NUM_THREADS": threads})
        self.inputs, self.count = compiled.inputs, len(compiled.outputs)
        self.request = compiled.create_infer_request()

    def set(self):
        for number, port in enumerate(self.inputs):
            self.request.get_input_tensor(number).data[:] = make_input(
                tuple(port.shape), port.element_type.to_dtype())

    def run(self):
        self.request.infer()

    def outputs(self):
        return [self.request.get_output_tensor(number).data for number in range(self.count)]


PEERS = {"litert": LiteRt, "ort": OnnxRuntime, "openvino": OpenVino}


def make_input(shape, kind):
    rng = np.random.default_rng(1)
    if np.issubdtype(kind, np.floating):
        return rng.random(shape, dtype=np.float32) * 2 - 1
    if kind == np.bool_:
        return rng.random(shape) < 0.5
    if np.dtype(kind).itemsize > 1:
        return rng.integers(0, WORDS, shape).astype(kind)  # the words of a text
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max + 1, shape).astype(kind)


def child(options):
    """Measures in this process, and prints the median in ms; the outputs go to a file."""
    start = time.perf_counter()
    peer = PEERS[options.child](options.models[0], int(options.threads))
    load = time.perf_counter() - start
    peer.set()
    times = []
    for _ in range(WARM_UP + options.runs):
        start = time.perf_counter()
        peer.run()
        times.append(time.perf_counter() - start)
    np.savez(options.outputs, *peer.outputs())
    times = times[WARM_UP:]
    print(json.dumps({"wall_ms": {"min": min(times) * 1e3,
                                  "median": statistics.median(times) * 1e3},
                      "load_ms": load * 1e3}))


def measure(command, threads):
    """What a command prints as JSON, pinned to the last CPUs that this process may use."""
    cpus = sorted(os.sched_getaffinity(0))[-threads:]
    # Before its neighbours, where this user may ask for that; nice goes on without.
    pinned = ["nice", "-n", "-15", "taskset", "-c", ",".join(map(str, cpus))]
    done = subprocess.run(pinned + command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or "no message").splitlines()[-1])
    return json.loads(done.stdout)


def run_ours(options, path, threads, runs, which="median"):
    result = measure([options.nnactl, "bench", str(path), "--device", "loopback", "--json",
                      "--shared", "--threads", str(threads), "--runs", str(runs)], threads)
    return result["wall_ms"][which]


def run_guest(options, path, threads, runs):
    """Time of a client in an emulated guest, and what is the device's of it: medians in ms."""
    result = measure([options.guest, "--timeout", "600", "--device-arg", f"--threads={threads}",
                      "--share", str(path.parent), "--", options.nnactl, "bench", str(path), "--json", "--shared",
                      "--runs", str(runs)], threads)
    return result["wall_ms"]["median"], result["device_ms"]["median"]


def run_peer(name, path, threads, runs, outputs, which="median"):
    return measure([sys.executable, __file__, "--child", name, "--threads", str(threads), "--runs",
                    str(runs), "--outputs", str(outputs), str(path)], threads)["wall_ms"][which]


def difference(first, second):
    """The greatest difference of outputs: of integers in steps, of others in 1/256 of the range."""
    worst = 0.0
    with np.load(first) as a, np.load(second) as b:
        for x, y in zip(a.values(), b.values()):
            if x.size != y.size:
                return float("inf")
            step = np.ptp(x) / 256 or 1 if x.dtype.kind == "f" else 1
            d = np.abs(x.ravel().astype(np.float64) - y.ravel().astype(np.float64)) / step
            # Of a map of classes a few elements may differ, by any number.
            worst = max(worst, float(np.quantile(d, 0.99)))
    return worst


def compare(options, path, threads, folder):
    """One row of the table."""
    onnx = Path(options.onnx, path.stem + ".onnx")
    names = ["litert"] + (["ort"] if onnx.exists() else []) + ["openvino"]
    files = {"litert": path, "ort": onnx, "openvino": path}
    outputs = {name: Path(folder, name + ".npz") for name in names}
    once = run_peer("litert", path, threads, 10, outputs["litert"])
    runs = int(min(1000, max(20, SECONDS * 1e3 / once)))
    times = {name: [] for name in ["ours"] + names}
    guest, refused = [], {}
    for _ in range(options.rounds):
        times["ours"].append(run_ours(options, path, threads, runs))
        if options.guest:
            guest.append(run_guest(options, path, threads, runs))
        for name in list(names):
            try:
                times[name].append(run_peer(name, files[name], threads, runs, outputs[name]))
            except RuntimeError as error:
                if name == "litert":
                    raise
                names.remove(name)
                del times[name]
                refused[name] = str(error)
    row = {"model": path.stem, "threads": threads, "runs": runs,
           "ms": {name: statistics.median(t) for name, t in times.items()}}
    if refused:
        row["refused"] = refused
    for name in names[1:]:
        row[name + "_difference"] = difference(outputs["litert"], outputs[name])
        if row[name + "_difference"] > STEPS:
            del row["ms"][name]
    if guest:
        row["ms"]["guest"] = statistics.median(wall for wall, _ in guest)
        row["guest_beyond_ms"] = statistics.median(wall - device for wall, device in guest)
    row["ratio"] = {name: t / row["ms"]["ours"] for name, t in row["ms"].items() if name != "ours"}
    return row


def cpu():
    """This machine's CPU, with the best instructions that the NNA has kernels for."""
    found = dict(re.findall(r"^(model name|cpu family|flags)\s*: (.*)$",
                            Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    flags = found.get("flags", "").split()
    best = next((flag for flag in ("avx512_vnni", "avx2") if flag in flags), "scalar")
    # Of a virtual machine the name may be that of several generations.
    family = f", family {found['cpu family']}" if "cpu family" in found else ""
    return f"{found.get('model name', 'unknown')}{family}, {best}"


def line(row):
    def cell(values, name, digits):
        return f"{values[name]:.{digits}f}" if name in values else "-"
    ms, ratio, note = row["ms"], row["ratio"], ""
    for name, title in (("ort", "ORT"), ("openvino", "OV")):
        if name in ms:
            continue
        if name in row.get("refused", {}):
            note += f"  {title}: {row['refused'][name][:60]}"
        elif name + "_difference" in row:
            note += f"  {title} differs by {row[name + '_difference']:.0f} steps"
        elif name == "ort":
            note += "  no ONNX form"
    if "guest" in ms:
        note = (f" {ms['guest']:9.2f} {row['guest_beyond_ms']:8.2f} "
                f"{ms['litert'] / ms['guest']:9.2f}{note}")
    return (f"{row['model']:48} {row['threads']:2} {cell(ms, 'ours', 2):>9} "
            f"{cell(ms, 'litert', 2):>9} {cell(ms, 'ort', 2):>9} {cell(ms, 'openvino', 2):>9} "
            f"{cell(ratio, 'litert', 2):>8} {cell(ratio, 'ort', 2):>8} "
            f"{cell(ratio, 'openvino', 2):>8}{note}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nnactl", default="build/bin/nnactl")
    parser.add_argument("--onnx", default="build/bench")
    parser.add_argument("--guest", help="a program that runs a command in a guest: vm/run")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", choices=list(PEERS), help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--outputs", help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    if options.child:
        child(options)
        return 0
    rows, failed = [], 0
    print(f"{'model':48} {'t':>2} {'NNA ms':>9} {'LiteRT ms':>9} {'ORT ms':>9} {'OV ms':>9} "
          f"{'LiteRT/N':>8} {'ORT/N':>8} {'OV/N':>8}" +
          (f" {'guest ms':>9} {'- device':>8} {'LiteRT/g.':>9}" if options.guest else ""))
    with tempfile.TemporaryDirectory() as folder:
        for path in options.models:
            for threads in map(int, options.threads.split(",")):
                try:
                    rows.append(compare(options, path, threads, folder))
                    print(line(rows[-1]), flush=True)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"{path.stem:48} {threads:2} {error}", flush=True)
    if options.json:
        from importlib.metadata import version
        options.json.write_text(json.dumps(
            {"litert": version("ai-edge-litert"), "onnxruntime": version("onnxruntime"),
             "openvino": version("openvino"), "cpu": cpu(), "rounds": options.rounds,
             "rows": rows}, indent=1) + "\n")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
