#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs a decoder with a KV cache: prefill, then one token a step, against LiteRT.

    decoder.py [--nnactl PROGRAM] [--steps N]

Writes two files of a transformer with random weights. In one the cache is inputs and outputs of the
signatures prefill and decode, which `nnactl run --loop` feeds back; in the other it is resource
variables of the signature decode. A DYNAMIC_UPDATE_SLICE puts each token's keys and values at the
position that the run gives, so that one program runs all steps. The tokens that both choose have to
be the same, and caches and logits near. The last lines tell the time of a step as a ratio to
LiteRT's, one thread, for information, and "N passed, N failed, N skipped".
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import onefile

WORDS, WIDTH, HEADS, ROOM, LAYERS, PROMPT = 64, 64, 4, 128, 2, 8
EACH = WIDTH // HEADS
# The subgraph that assigns the first values of variables, behind that of decode.
INITIALISER = 1


class Graph:
    """A subgraph under construction; tensors are their numbers."""

    def __init__(self, model, name):
        self.model, self.graph = model, schema.SubGraphT()
        self.graph.name = name
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        model.subgraphs.append(self.graph)

    def tensor(self, shape, kind="FLOAT32", data=None, name=None):
        t = schema.TensorT()
        t.name = name or f"{self.graph.name}/{len(self.graph.tensors)}"
        t.shape, t.type = list(shape), getattr(schema.TensorType, kind)
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data, onefile.TYPES[kind]).tobytes(),
                                        np.uint8)
            t.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.graph.tensors.append(t)
        return len(self.graph.tensors) - 1

    def input(self, name, shape, kind="FLOAT32"):
        self.graph.inputs.append(self.tensor(shape, kind, name=name))
        return self.graph.inputs[-1]

    def const(self, data, kind="INT32"):
        return self.tensor(np.shape(data), kind, data)

    def op(self, name, inputs, shape=None, kind="FLOAT32", options=None, out=None, **attributes):
        number = getattr(schema.BuiltinOperator, name)
        codes = [c.builtinCode for c in self.model.operatorCodes]
        if number not in codes:
            code = schema.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode, code.version = number, min(number, 127), 1
            self.model.operatorCodes.append(code)
            codes.append(number)
        o = schema.OperatorT()
        o.opcodeIndex, o.inputs = codes.index(number), list(inputs)
        if out is None and shape is not None:
            out = self.tensor(shape, kind)
        o.outputs = [] if out is None else [out]
        if options:
            second, o.builtinOptionsType, o.builtinOptions = onefile.options_of(options, attributes)
            assert not second
        self.graph.operators.append(o)
        return out

    def variable(self, name):
        return self.op("VAR_HANDLE", [], [], "RESOURCE", "VarHandleOptions", container="",
                       sharedName=name)


def attend(g, x, cache, start, visible, weights, count):
    """A layer: the cache with the new keys and values, and the attention of @count tokens."""
    def linear(v, w):
        return g.op("FULLY_CONNECTED", [v, w, -1], (count, WIDTH), options="FullyConnectedOptions")
    rows = []
    for kind in ("q", "k", "v"):
        v = linear(x, weights[kind])
        v = g.op("RESHAPE", [v, g.const([1, count, HEADS, EACH])], (1, count, HEADS, EACH))
        rows.append(v)
    new = [g.op("DYNAMIC_UPDATE_SLICE", [old, row, start], (1, ROOM, HEADS, EACH))
           for old, row in zip(cache, rows[1:])]
    order = g.const([0, 2, 1, 3])
    q, k, v = (g.op("TRANSPOSE", [t, order], (1, HEADS, n, EACH))
               for t, n in ((rows[0], count), (new[0], ROOM), (new[1], ROOM)))
    scores = g.op("BATCH_MATMUL", [q, k], (1, HEADS, count, ROOM), options="BatchMatMulOptions",
                  adjY=True)
    scores = g.op("MUL", [scores, g.const(np.float32(EACH ** -0.5), "FLOAT32")],
                  (1, HEADS, count, ROOM), options="MulOptions")
    scores = g.op("SELECT_V2", [visible, scores, g.const(np.float32(-1e9), "FLOAT32")],
                  (1, HEADS, count, ROOM))
    shares = g.op("SOFTMAX", [scores], (1, HEADS, count, ROOM), options="SoftmaxOptions", beta=1.0)
    y = g.op("BATCH_MATMUL", [shares, v], (1, HEADS, count, EACH), options="BatchMatMulOptions")
    y = g.op("TRANSPOSE", [y, order], (1, count, HEADS, EACH))
    y = g.op("RESHAPE", [y, g.const([count, WIDTH])], (count, WIDTH))
    return g.op("ADD", [x, linear(y, weights["o"])], (count, WIDTH), options="AddOptions"), new


def build(model, name, count, weights, variables):
    """A signature of @count tokens; returns its tensors by name."""
    g = Graph(model, name)
    token = g.input("token", (count,), "INT32")
    position = g.input("position", (1,), "INT32")
    names = [f"{kind}{i}" for i in range(LAYERS) for kind in "kv"]
    handles = [g.variable(n) for n in names] if variables else []
    if variables:
        g.op("CALL_ONCE", [], options="CallOnceOptions", initSubgraphIndex=INITIALISER)
    shape = (1, ROOM, HEADS, EACH)
    old = [g.op("READ_VARIABLE", [h], shape) for h in handles] or \
        [g.input(n, shape) for n in names]
    w = {key: g.const(value, "FLOAT32") for key, value in weights.items()}
    zero = g.const([0])
    start = g.op("CONCATENATION", [zero, position, zero, zero], (4,), "INT32",
                 "ConcatenationOptions", axis=0)
    own = g.op("ADD", [position, g.const(np.arange(count))], (count,), "INT32", "AddOptions")
    own = g.op("RESHAPE", [own, g.const([count, 1])], (count, 1), "INT32")
    visible = g.op("LESS_EQUAL", [g.const(np.arange(ROOM)), own], (count, ROOM), "BOOL")
    x = g.op("GATHER", [w["words"], token], (count, WIDTH), options="GatherOptions")
    new = []
    for i in range(LAYERS):
        layer = {key: w[f"{key}{i}"] for key in "qkvo"}
        x, pair = attend(g, x, old[2 * i:2 * i + 2], start, visible, layer, count)
        new += pair
    logits = g.op("FULLY_CONNECTED", [x, w["words"], -1], (count, WORDS),
                  options="FullyConnectedOptions")
    last = g.op("SLICE", [logits, g.const([count - 1, 0]), g.const([1, WORDS])], (1, WORDS))
    chosen = g.op("ARG_MAX", [last, g.const([1])], (1,), "INT32", "ArgMaxOptions",
                  outputType=schema.TensorType.INT32)
    after = g.op("ADD", [position, g.const([count])], (1,), "INT32", "AddOptions")
    for handle, value in zip(handles, new):
        g.op("ASSIGN_VARIABLE", [handle, value])
    outs = {"token": chosen, "position": after, "logits": last}
    outs.update({} if variables else dict(zip(names, new)))
    g.graph.outputs = list(outs.values())
    ins = dict(zip(["token", "position"] + ([] if variables else names), g.graph.inputs))
    return ins, outs


def build_initialiser(model):
    """LiteRT's variables have no value before one is assigned."""
    g = Graph(model, "initialiser")
    zeros = g.const(np.zeros((1, ROOM, HEADS, EACH)), "FLOAT32")
    for name in (f"{kind}{i}" for i in range(LAYERS) for kind in "kv"):
        g.op("ASSIGN_VARIABLE", [g.variable(name), zeros])


def write(path, signatures, variables):
    rng = np.random.default_rng(5)
    weights = {"words": rng.standard_normal((WORDS, WIDTH))}
    for i in range(LAYERS):
        for key in "qkvo":
            weights[f"{key}{i}"] = rng.standard_normal((WIDTH, WIDTH)) * WIDTH ** -0.5
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs = 3, [], []
    model.buffers, model.signatureDefs = [schema.BufferT()], []
    for number, (name, count) in enumerate(signatures):
        sides = build(model, name, count, weights, variables)
        s = schema.SignatureDefT()
        s.signatureKey, s.subgraphIndex = name, number
        for attribute, side in zip(("inputs", "outputs"), sides):
            maps = []
            for key, tensor in side.items():
                m = schema.TensorMapT()
                m.name, m.tensorIndex = key, tensor
                maps.append(m)
            setattr(s, attribute, maps)
        model.signatureDefs.append(s)
    if variables:
        build_initialiser(model)
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(bytes(builder.Output()))


def litert(path, prompt, steps, variables):
    """The tokens, the last outputs, and the milliseconds of a step."""
    interpreter = Interpreter(model_path=str(path), num_threads=1, experimental_op_resolver_type=
                              OpResolverType.BUILTIN_REF)
    decode = interpreter.get_signature_runner("decode")
    shape, state = (1, ROOM, HEADS, EACH), {}
    if not variables:
        prefill = interpreter.get_signature_runner("prefill")
        state = {f"{kind}{i}": np.zeros(shape, np.float32) for i in range(LAYERS) for kind in "kv"}
        out = prefill(token=prompt, position=np.int32([0]), **state)
    else:
        out = {"token": prompt[:1], "position": np.int32([0])}
    prefilled, tokens = out, []
    for _ in range(steps):
        out = decode(token=out["token"], position=out["position"],
                     **{key: out[key] for key in state})
        tokens.append(int(out["token"][0]))
    return tokens, out, prefilled


def step_time(path):
    """
    Milliseconds of a step of LiteRT as people use it, with XNNPACK: the median. The file's first
    subgraph is that of decode.
    """
    interpreter, times = Interpreter(model_path=str(path), num_threads=1), []
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], np.zeros(detail["shape"], detail["dtype"]))
    for _ in range(200):
        start = time.perf_counter()
        interpreter.invoke()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[100]


def nnactl(program, *arguments):
    done = subprocess.run([program, *map(str, arguments), "--device", "loopback"],
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"{program} ended with {done.returncode}")
    return done.stdout


def run(program, path, folder, signature, inputs, outputs, *more):
    """What nnactl gives for the outputs of a signature, by name."""
    arguments = ["run", path, "--signature", signature, *more]
    for key, value in inputs.items():
        np.save(folder / f"in_{key}.npy", value)
        arguments += ["--input", f"{key}={folder}/in_{key}.npy"]
    for key in outputs:
        arguments += ["--output-npy", f"{key}={folder}/out_{key}.npy"]
    nnactl(program, *arguments)
    return {key: np.load(folder / f"out_{key}.npy") for key in outputs}


def near(a, b):
    return float(np.max(np.abs(a.astype(np.float64) - b))) <= 1e-5 * max(float(np.abs(b).max()), 1)


def try_decoder(program, folder, steps, variables):
    """Whether all steps agree, and a text."""
    path = folder / ("variables.tflite" if variables else "cache.tflite")
    prompt = np.int32([3, 1, 4, 1, 5, 9, 2, 6])
    signatures = [("decode", 1)] if variables else [("decode", 1), ("prefill", PROMPT)]
    write(path, signatures, variables)
    tokens, theirs, prefilled = litert(path, prompt, steps, variables)
    shape = (1, ROOM, HEADS, EACH)
    caches = [] if variables else [f"{kind}{i}" for i in range(LAYERS) for kind in "kv"]
    state = {"token": prompt[:1], "position": np.int32([0])}
    if not variables:
        ours = run(program, path, folder, "prefill",
                   {"token": prompt, "position": np.int32([0]),
                    **{key: np.zeros(shape, np.float32) for key in caches}},
                   ["token", "position", *caches])
        if not all(near(ours[key], prefilled[key]) for key in ours):
            return False, "prefill differs"
        state = ours
    loops = [word for key in ("token", "position", *caches) for word in ("--loop", f"{key}={key}")]
    # Each number of steps shows one token more.
    for count in sorted({1, 2, steps // 2, steps} - {0}):
        ours = run(program, path, folder, "decode", state, ["token", "logits", *caches], *loops,
                   "--steps", count)
        if int(ours["token"].reshape(-1)[0]) != tokens[count - 1]:
            return False, f"step {count} gives token {ours['token']}, LiteRT {tokens[count - 1]}"
    if not all(near(ours[key], theirs[key]) for key in ("logits", *caches)):
        return False, "the last step differs"
    told = json.loads(nnactl(program, "bench", path, "--signature", "decode", "--threads", 1,
                             "--runs", 200, "--shared", "--json"))
    mine, own = told["wall_ms"]["median"], step_time(path)
    return True, f"{steps} steps; a step takes {mine:.3f} ms, LiteRT's {own:.3f}: {mine / own:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nnactl", default="build/bin/nnactl")
    parser.add_argument("--steps", type=int, default=24)
    options = parser.parse_args()
    passed = failed = 0
    for variables in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            try:
                good, text = try_decoder(options.nnactl, Path(folder), options.steps, variables)
            except (RuntimeError, ValueError) as error:
                good, text = False, str(error).splitlines()[-1]
        name = "cache in variables" if variables else "cache in inputs and outputs"
        print(f"{'ok' if good else 'not ok'} {name}: {text}", flush=True)
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
