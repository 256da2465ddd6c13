#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""TFLite's own NNAPI delegate as a judge of libneuralnetworks.so.

    nnapi.py --tflite LIBRARY --nnapi LIBRARY [--nnactl PROGRAM] [--operators] MODEL...

The delegate is in TFLite's C library that PyPI's pymicro-wakeword carries. It runs each model
twice: with libneuralnetworks.so as the system's, which it opens by its name (LD_LIBRARY_PATH says where),
and with the table that ANeuralNetworks_getSLDriverImpl() gives, as a support library. Both have to
take the operators that TAKEN says in as many partitions, and both have to give, to the byte, what
libnnaccel gives for the same model with NNAPI's rounding (nnactl run --rounding nnapi).

--operators lists how far the delegate's results are from those of TFLite's reference kernels, for
each kind of operator: each operator of the models becomes a model of its own, with inputs from a
fixed seed. Differences of integers are in steps, those of floats relative to the output's range.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_size_t
from ctypes import c_void_p
from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

# Partitions at most, and the operators that the delegate leaves to TFLite.
TAKEN = {
    "deeplabv3_mnv2_dm05_pascal_quant": (1, ["ARG_MAX"]),  # its output is of INT64
    "movenet_single_pose_lightning_ptq": (7, None),
}
ONE_PARTITION = (1, [])

# Most steps, and most of a float output's range, that a single operator may be from TFLite's
# reference kernel; the reason stands beside each.
STEPS, FLOATS = 1, 1e-5
NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items() if name[0] != "_"}
TYPES = {0: None, 1: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16,
         9: np.int8, 10: np.float16}


class NnapiOptions(Structure):
    """TfLiteNnapiDelegateOptions"""
    _fields_ = [("execution_preference", c_int), ("accelerator_name", c_char_p),
                ("cache_dir", c_char_p), ("model_token", c_char_p), ("disallow_nnapi_cpu", c_int),
                ("allow_fp16", c_int), ("max_number_delegated_partitions", c_int),
                ("nnapi_support_library_handle", c_void_p)]


class IntArray(Structure):
    """TfLiteIntArray, without what follows the size"""
    _fields_ = [("size", c_int)]


class Registration(Structure):
    """The beginning of TfLiteRegistration"""
    _fields_ = [("functions", c_void_p * 5), ("builtin_code", c_int32), ("custom_name", c_char_p)]


class Context(Structure):
    """The beginning of TfLiteContext"""
    _fields_ = [
        ("tensors_size", c_size_t),
        ("get_execution_plan", CFUNCTYPE(c_int, c_void_p, POINTER(POINTER(IntArray)))),
        ("tensors", c_void_p), ("impl", c_void_p), ("resize_tensor", c_void_p),
        ("report_error", c_void_p), ("add_tensors", c_void_p),
        ("get_node", CFUNCTYPE(c_int, c_void_p, c_int, POINTER(c_void_p),
                               POINTER(POINTER(Registration)))),
    ]


PREPARE = CFUNCTYPE(c_int, POINTER(Context), c_void_p)


class Delegate(Structure):
    """TfLiteDelegate"""
    _fields_ = [("data", c_void_p), ("prepare", PREPARE), ("copy_from", c_void_p),
                ("copy_to", c_void_p), ("free_handle", c_void_p), ("flags", c_int64),
                ("builder", c_void_p)]


class Tflite:
    """TFLite's C library."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ("ModelCreate", "InterpreterOptionsCreate", "InterpreterCreate",
                     "NnapiDelegateCreate", "InterpreterGetInputTensor",
                     "InterpreterGetOutputTensor", "TensorData"):
            getattr(self.lib, "TfLite" + name).restype = c_void_p
        self.lib.TfLiteTensorByteSize.restype = c_size_t
        self.lib.TfLiteTensorName.restype = c_char_p
        self.lib.TfLiteNnapiDelegateOptionsDefault.restype = NnapiOptions
        self.lib.TfLiteVersion.restype = c_char_p

    def call(self, name, *arguments):
        return getattr(self.lib, "TfLite" + name)(
            *(c_void_p(a) if isinstance(a, int) and a > 0xffff else a for a in arguments))

    def version(self):
        return self.lib.TfLiteVersion().decode()


class Run:
    """A model in TFLite with its NNAPI delegate, which has no limit of partitions.

    Says with .partitions and .left, a list of names, what became of the operators.
    """

    def __init__(self, tflite, content, support_library=None):
        self.tflite, self.content = tflite, content
        call = tflite.call
        options = tflite.lib.TfLiteNnapiDelegateOptionsDefault()
        options.max_number_delegated_partitions = 0
        options.nnapi_support_library_handle = support_library
        self.nnapi = call("NnapiDelegateCreate", byref(options))
        # A second delegate, which takes nothing, sees what the first one has left.
        self.prepare = PREPARE(self.look)
        self.onlooker = Delegate(prepare=self.prepare)
        self.partitions, self.left = 0, None
        self.model = call("ModelCreate", content, c_size_t(len(content)))
        settings = call("InterpreterOptionsCreate")
        call("InterpreterOptionsAddDelegate", settings, self.nnapi)
        call("InterpreterOptionsAddDelegate", settings, byref(self.onlooker))
        self.interpreter = call("InterpreterCreate", self.model, settings)
        call("InterpreterOptionsDelete", settings)
        if not self.interpreter:
            raise RuntimeError("no interpreter")
        if call("InterpreterAllocateTensors", self.interpreter):
            raise RuntimeError("tensors cannot be allocated")

    def look(self, context, _):
        plan = POINTER(IntArray)()
        address = ctypes.addressof(context.contents)
        context.contents.get_execution_plan(address, byref(plan))
        nodes = (c_int * plan.contents.size).from_address(ctypes.addressof(plan.contents) + 4)
        self.left = []
        for number in nodes:
            node, registration = c_void_p(), POINTER(Registration)()
            context.contents.get_node(address, number, byref(node), byref(registration))
            if registration.contents.custom_name == b"TfLiteNnapiDelegate":
                self.partitions += 1
            else:
                self.left.append(NAMES[registration.contents.builtin_code])
        return 0

    def tensors(self, kind):
        for i in range(self.tflite.call(f"InterpreterGet{kind}TensorCount", self.interpreter)):
            yield self.tflite.call(f"InterpreterGet{kind}Tensor", self.interpreter, i)

    def invoke(self, inputs):
        """The bytes of each output."""
        call = self.tflite.call
        for tensor, value in zip(self.tensors("Input"), inputs):
            if call("TensorCopyFromBuffer", tensor, value, c_size_t(len(value))):
                raise RuntimeError(f"an input does not have {len(value)} bytes")
        if call("InterpreterInvoke", self.interpreter):
            raise RuntimeError("the run failed")
        return [ctypes.string_at(call("TensorData", tensor), call("TensorByteSize", tensor))
                for tensor in self.tensors("Output")]

    def close(self):
        self.tflite.call("InterpreterDelete", self.interpreter)
        self.tflite.call("ModelDelete", self.model)
        self.tflite.call("NnapiDelegateDelete", self.nnapi)


def make_input(detail, rng):
    kind, shape = detail["dtype"], detail["shape"]
    if kind in (np.float32, np.float16):
        return (rng.random(shape) * 2 - 1).astype(kind)
    if kind == np.bool_:
        return rng.random(shape) > 0.5
    if kind in (np.int32, np.int64):
        return rng.integers(0, 8, shape).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max + 1, shape).astype(kind)


def reference(content, rng):
    """The inputs, and the outputs of TFLite's reference kernels."""
    interpreter = Interpreter(model_content=content, num_threads=1,
                              experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    inputs = []
    for detail in interpreter.get_input_details():
        inputs.append(make_input(detail, rng))
        interpreter.set_tensor(detail["index"], inputs[-1])
    interpreter.invoke()
    return inputs, [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def through_libnnaccel(nnactl, path, inputs):
    """All outputs of the graph with NNAPI's rounding, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        raw_in, raw_out = Path(folder, "in"), Path(folder, "out")
        raw_in.write_bytes(b"".join(inputs))
        subprocess.run([nnactl, "run", str(path), "--device", "loopback", "--rounding", "nnapi",
                        "--raw-input", str(raw_in), "--raw-output", str(raw_out)],
                       check=True, capture_output=True, timeout=300)
        return raw_out.read_bytes()


def check(tflite, path, support_library, nnactl):
    """What is to be said of a model, and whether it passed."""
    content = path.read_bytes()
    inputs = [a.tobytes() for a in reference(content, np.random.default_rng(7))[0]]
    run = Run(tflite, content, support_library)
    outputs = b"".join(run.invoke(inputs))
    run.close()
    most, left = TAKEN.get(path.stem, ONE_PARTITION)
    same = outputs == through_libnnaccel(nnactl, path, inputs)
    text = f"{run.partitions} partitions"
    if run.left:
        text += ", left: " + " ".join(sorted(set(run.left)))
    good = 0 < run.partitions <= most and left in (None, run.left)
    if not good:
        text += f"; at most {most} with {left or 'nothing'} left are right"
    return text + (", equal to the byte" if same else ", DIFFERS from libnnaccel"), same and good


def single_operators(path):
    """Each operator of a model with its name, as a model of its own."""
    whole = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    whole.subgraphs = whole.subgraphs[:1]
    sub = whole.subgraphs[0]
    for operator in sub.operators[:]:
        code = whole.operatorCodes[operator.opcodeIndex]
        sub.operators = [operator]
        sub.inputs = [i for i in dict.fromkeys(operator.inputs) if i >= 0 and
                      whole.buffers[sub.tensors[i].buffer].data is None and
                      not sub.tensors[i].isVariable]
        sub.outputs = list(operator.outputs)
        whole.signatureDefs = []
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(whole.Pack(builder), b"TFL3")
        yield NAMES[max(code.builtinCode, code.deprecatedBuiltinCode)], bytes(builder.Output())


def differ(ours, theirs):
    """Steps of integers or None, share of the range of floats or None, share that differs."""
    if theirs.dtype.kind in "iub":
        gap = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
        return int(gap.max(initial=0)), None, float(np.mean(gap != 0))
    if np.any(np.isnan(ours) != np.isnan(theirs)):
        return None, float("inf"), 1.0
    ours, theirs = np.nan_to_num(ours), np.nan_to_num(theirs)
    gap = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    span = max(float(np.ptp(theirs)), float(np.abs(theirs).max()), 1e-30)
    return None, float(gap.max(initial=0)) / span, float(np.mean(gap != 0))


def compare_operators(tflite, paths):
    """Prints the table of operators. Return: how many are near TFLite's, and how many are not."""
    table, seen = {}, set()
    for path in paths:
        for name, content in single_operators(path):
            if content in seen:
                continue
            seen.add(content)
            run = Run(tflite, content)
            if run.left:
                run.close()
                continue
            inputs, theirs = reference(content, np.random.default_rng(7))
            ours = run.invoke([a.tobytes() for a in inputs])
            run.close()
            key = f"{name} {theirs[0].dtype}"
            row = table.setdefault(key, [0, 0, 0, 0.0])
            row[0] += 1
            for a, b in zip(ours, theirs):
                steps, share, count = differ(np.frombuffer(a, b.dtype).reshape(b.shape), b)
                row[1] = max(row[1], steps or 0)
                row[2] = max(row[2], share or 0)
                row[3] = max(row[3], count)
    print(f"\n{'operator':36} {'times':>5} {'steps':>6} {'of range':>9} {'elements':>9}")
    passed = 0
    for name, (times, steps, share, count) in sorted(table.items()):
        good = steps <= STEPS and share <= FLOATS
        passed += good
        print(f"{name:36} {times:5} {steps:6} {share:9.1e} {count:9.2%}"
              + ("" if good else "  TOO FAR"))
    return passed, len(table) - passed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tflite", required=True, help="libtensorflowlite_c.so")
    parser.add_argument("--nnapi", required=True, help="libneuralnetworks.so")
    parser.add_argument("--nnactl", default="build/bin/nnactl")
    parser.add_argument("--operators", action="store_true")
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    tflite = Tflite(options.tflite)
    nnapi = ctypes.CDLL(os.path.abspath(options.nnapi))
    nnapi.ANeuralNetworks_getSLDriverImpl.restype = c_void_p
    table = nnapi.ANeuralNetworks_getSLDriverImpl()
    print(f"the NNAPI delegate of TFLite {tflite.version()}")
    passed = failed = 0
    for path in options.models:
        for way, library in ("system", None), ("support library", table):
            try:
                text, good = check(tflite, path, library, options.nnactl)
            except Exception as error:
                text, good = str(error).strip().splitlines()[0][:120], False
            passed, failed = passed + good, failed + (not good)
            print(f"{path.stem:48} {way:16} {text}", flush=True)
    if options.operators:
        near, far = compare_operators(tflite, options.models)
        passed, failed = passed + near, failed + far
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
