#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ONNX Runtime with the provider of nnaccel, on the loopback: ort.py FOLDER...

A folder has folders as ONNX' own test data are: model.onnx and test_data_set_0. In those of
tests/onnx each model has to run on the provider alone, within 2e-5 of the range; of ONNX' own tests,
which allow 1e-3 of a value, what the provider leaves is skipped. Then what a session is used for: three sizes of an open batch, threads, wrong options, a
model of which a node is left. The last line is "N passed, N failed, N skipped".
"""
import os
import re
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import onnxruntime as ort
import onnxruntime_ep_nnaccel as ep

TYPES = {1: "<f4", 2: "u1", 3: "i1", 5: "<i2", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2"}
passed = failed = skipped = 0


def tell(good, what, why=""):
    global passed, failed
    print("ok" if good else "not ok", what, f"# {why}" if why else "", flush=True)
    passed += bool(good)
    failed += not good


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def tensor(path):
    """A TensorProto with raw data; None for another one."""
    data, at, dims, of, raw = path.read_bytes(), 0, [], 0, None
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
            if tag >> 3 == 1:
                dims.append(value)
            elif tag >> 3 == 2:
                of = value
            continue
        if tag & 7 != 2:
            return None
        size, at = varint(data, at)
        if tag >> 3 == 1:
            end = at + size
            while at < end:
                value, at = varint(data, at)
                dims.append(value)
            continue
        if tag >> 3 == 9:
            raw = data[at:at + size]
        at += size
    if of not in TYPES or raw is None:
        return None
    return np.frombuffer(raw, TYPES[of]).reshape(dims)


def devices():
    return [d for d in ort.get_ep_devices() if d.ep_name == ep.get_ep_name()]


def session(path, options=None, alone=True, entries=None):
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    for key, text in (entries or {}).items():
        settings.add_session_config_entry(key, text)
    if alone:
        settings.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    settings.add_provider_for_devices(devices()[-1:], options or {})
    return ort.InferenceSession(str(path), sess_options=settings, enable_fallback=0)


def tensors(folder, what):
    return [tensor(folder / f"{what}_{i}.pb")
            for i in range(len(list(folder.glob(f"{what}_*.pb"))))]


def is_close(a, b, quantised, loose):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.size or a.dtype.kind not in "fiu":
        return np.array_equal(a, b)
    x, y = a.astype("f8"), b.astype("f8")
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    real = y[np.isfinite(y)]
    span = max(real.max(initial=0), 0) - min(real.min(initial=0), 0)
    limit = (1 if quantised else 0) if a.dtype.kind in "iu" else \
        (3e-2 if quantised else 2e-3 if a.dtype == np.float16 else 2e-5) * span
    return bool(np.all(same | (np.abs(x - y) <= limit) |
                       (np.abs(x - y) <= loose * np.abs(y))))


def case(folder, must):
    """One model: on the provider alone, close to what is expected."""
    global skipped
    name = f"{ort.__version__} {folder.name}"
    data = folder / "test_data_set_0"
    inputs, outputs = tensors(data, "input"), tensors(data, "output")
    if any(v is None for v in inputs + outputs):
        skipped += 1
        return
    try:
        made = session(folder / "model.onnx")
    except Exception as error:  # pylint: disable=broad-except
        if must and "is under development" not in str(error):
            tell(False, name, str(error)[:200])
        else:
            skipped += 1
        return
    try:
        got = made.run(None, dict(zip([i.name for i in made.get_inputs()], inputs)))
    except Exception as error:  # pylint: disable=broad-except
        tell(False, name, str(error)[:200])
        return
    quantised = "qdq" in folder.name or "uantize" in folder.name
    tell(all(is_close(a, b, quantised, 0 if must else 1e-3)
             for a, b in zip(got, outputs)), name)


def units(cases):
    """Quantised units as models of other operator sets have them: the same results, on the provider alone."""
    sets = re.compile(rb"(?<=B\x02\x10|\n\x00\x10)[\x0d-\x1c](?=B\x11\n\rcom.microsoft\x10\x01$|$)")
    for folder in sorted(cases.glob("qdq_unit_*")):
        data = (folder / "model.onnx").read_bytes()
        inputs, results, flaw = tensors(folder / "test_data_set_0", "input"), {}, ""
        for version in 13, 17, 19, 21, 23, 25, 28:
            path = folder / f"set{version}.onnx"
            path.write_bytes(sets.sub(bytes([version]), data, 1))
            try:
                made = session(path)
                results[version] = made.run(None, dict(zip([i.name for i in made.get_inputs()], inputs)))[0]
            except Exception as error:  # pylint: disable=broad-except
                # ONNX Runtime knows the sets up to its own time.
                flaw = flaw or ("" if "is under development" in str(error) else f"set {version}: {error}"[:200])
            path.unlink()
        good = sum(np.array_equal(r, results.get(13)) for r in results.values())
        tell(not flaw and len(sets.findall(data)) == 1 and good == len(results) > 4,
             f"{ort.__version__} {folder.name} of {good} operator sets", flaw)


def uses(cases):
    """What is asked of one session."""
    made = session(cases / "network_open" / "model.onnx")
    x = tensors(cases / "network_open" / "test_data_set_0", "input")[0]
    y = made.run(None, {"x": x})[0]
    for n in 1, 2, 7:
        many = np.concatenate([x] * 3)[:n]
        tell(np.allclose(made.run(None, {"x": many})[0], np.concatenate([y] * 3)[:n], atol=1e-4),
             f"a batch of {n} in one session")
    wrong = []

    def run():
        for _ in range(20):
            if not np.array_equal(made.run(None, {"x": x})[0], y):
                wrong.append(1)
    threads = [threading.Thread(target=run) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    tell(not wrong, "four threads in one session")
    for options, words in (({"threads": "many"}, "threads"), ({"priority": "top"}, "priority"),
                           ({"device": "/dev/accel/none"}, "/dev/accel/none")):
        try:
            session(cases / "add" / "model.onnx", options)
            tell(False, f"{options} is refused")
        except Exception as error:  # pylint: disable=broad-except
            tell(words in str(error), f"{options} is refused", str(error)[:160])
    made = session(cases / "add" / "model.onnx", {"threads": "1", "priority": "high"})
    tell(ep.get_ep_name() in made.get_providers(), "options are taken")


def saved(cases):
    """Models whose groups are compiled already: nodes EPContext, with the program inside and in a file."""
    for mode in "0", "1":
        for name in "network_cnn", "matmul_vectors":
            x = tensors(cases / name / "test_data_set_0", "input")
            with tempfile.TemporaryDirectory() as folder:
                to = Path(folder, "made.onnx")
                entries = {"ep.context_enable": "1", "ep.context_file_path": str(to), "ep.context_embed_mode": mode}
                made = session(cases / name / "model.onnx", entries=entries)
                feeds = dict(zip([i.name for i in made.get_inputs()], x))
                want = made.run(None, feeds)
                files = sorted(f.name for f in Path(folder).iterdir())
                tell(files == ["made.onnx"] + ["made_nnaccel_0.bin"] * (mode == "0") and b"EPContext" in to.read_bytes(),
                     f"a model with {name} compiled, embed_mode {mode}", str(files))
                got = session(to).run(None, feeds)
                tell(all(a.shape == b.shape and np.array_equal(a, b) for a, b in zip(got, want)), f"{name} from it")
                # The text is behind the attribute's name and two numbers.
                holder = to if mode == "1" else Path(folder, files[1])
                data = bytearray(holder.read_bytes())
                at = data.index(b"ep_cache_context") + 40 if mode == "1" else 1
                data[at:at + 2] = b"zz"
                holder.write_bytes(data)
                try:
                    session(to)
                    tell(False, "damaged bytes are refused")
                except Exception as error:  # pylint: disable=broad-except
                    tell("make the model again" in str(error), "damaged bytes are refused", str(error)[-120:])
                if mode == "0":
                    holder.unlink()
                    try:
                        session(to)
                        tell(False, "a file that is gone is named")
                    except Exception as error:  # pylint: disable=broad-except
                        tell(files[1] in str(error), "a file that is gone is named", str(error)[-120:])
    with tempfile.TemporaryDirectory() as folder:
        entries = {"ep.context_enable": "1", "ep.context_file_path": f"{folder}/made.onnx"}
        try:
            session(cases / "network_open" / "model.onnx", entries=entries)
            tell(False, "open shapes are refused")
        except Exception as error:  # pylint: disable=broad-except
            tell("state them" in str(error), "open shapes are refused", str(error)[-120:])


def message(*fields):
    """A protobuf message of (number, value): numbers, texts and messages."""
    def number(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)
    data = b""
    for of, value in fields:
        if isinstance(value, int):
            data += number(of << 3) + number(value)
            continue
        value = value.encode() if isinstance(value, str) else value
        data += number(of << 3 | 2) + number(len(value)) + value
    return data


def node(op, inputs, output, *attributes):
    return message(*[(1, i) for i in inputs], (2, output), (4, op), *[(5, a) for a in attributes])


def value(name, of, *dims):
    shape = message(*[(1, message((1, d))) for d in dims])
    return message((1, name), (2, message((1, message((1, of), (2, shape))))))


def model(graph):
    return message((1, 10), (7, graph), (8, message((2, 21))))


def context_model(context, embeds, x, y):
    """A model that is one node EPContext, with the description of its input and of its output."""
    entries = [message((1, name), (3, number), (20, 2)) for name, number in (("main_context", 1), ("embed_mode", embeds))]
    entries += [message((1, name), (4, text), (20, 3))
                for name, text in (("ep_cache_context", context), ("source", ep.get_ep_name()))]
    group = message((1, "x"), (2, "y"), (3, "n"), (4, "EPContext"), (7, "com.microsoft"), *[(5, e) for e in entries])
    graph = message((1, group), (2, "g"), (11, x), (12, y))
    return message((1, 10), (7, graph), (8, message((2, 21))), (8, message((1, "com.microsoft"), (2, 1))))


def hostile():
    """Nodes EPContext beside a model that is not the one that they were saved from."""
    x = np.arange(-6, 6, dtype="f4").reshape(3, 4)
    plain = value("x", 1, 3, 4), value("y", 1, 3, 4)
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "model.onnx"), Path(folder, "made.onnx")
        path.write_bytes(model(message((1, node("Relu", ["x"], "y")), (2, "g"), (11, plain[0]), (12, plain[1]))))
        session(path, entries={"ep.context_enable": "1", "ep.context_file_path": str(made)})
        program = Path(folder, "made_nnaccel_0.bin").read_bytes()
        scalar = bytearray(program)
        # The number of the output, whose uppermost bit says that it has no dimensions.
        scalar[23] |= 128
        for name, context, embeds, x_value, y_value, data, said in (
                ("as it was saved", program.hex(), 1, *plain, x, None),
                ("in a file", "made_nnaccel_0.bin", 0, *plain, x, None),
                ("an output of fewer bytes", program.hex(), 1, plain[0], value("y", 2, 3, 4), x, "output 0 has 12 bytes"),
                ("an output that is a scalar", scalar.hex(), 1, plain[0], value("y", 1), x, "output 0 has 4 bytes"),
                ("an input of another shape", program.hex(), 1, value("x", 1, 4, 3), plain[1], x.T, "the shapes"),
                ("a file of another folder", "../made_nnaccel_0.bin", 0, *plain, x, "not one of the model's folder"),
                ("a file by its whole path", f"{folder}/made_nnaccel_0.bin", 0, *plain, x, "not one of the model's"),
                ("a folder", "..", 0, *plain, x, "not one of the model's folder")):
            path.write_bytes(context_model(context, embeds, x_value, y_value))
            try:
                got = session(path).run(None, {"x": data})[0]
                tell(said is None and np.array_equal(got, np.maximum(x, 0)), f"EPContext: {name}")
            except Exception as error:  # pylint: disable=broad-except
                tell(said and said in str(error), f"EPContext: {name}", str(error)[-120:])


def others():
    """Models of which others compute a part: the provider has to take what is around it."""
    x = np.array([[-1, 2, 3], [4, -5, 6]], "f4")
    branches = [message((1, node(op, ["r"], name)), (2, name), (12, value(name, 1, 2, 3)))
                for op, name in (("Hardmax", "t"), ("Hardmax", "e"))]
    way = model(message(
        (1, node("Relu", ["x"], "r")),
        (1, node("If", ["c"], "z", *[message((1, name), (6, b), (20, 5)) for name, b in
                                     zip(("then_branch", "else_branch"), branches)])),
        (1, node("Add", ["z", "r"], "y")), (2, "way"), (11, value("x", 1, 2, 3)),
        (11, value("c", 9)), (12, value("y", 1, 2, 3))))
    nine = model(message(
        (1, node("Relu", ["x"], "r")), (1, node("Abs", ["k"], "a")),
        (1, node("ReduceSum", ["a"], "s", message((1, "keepdims"), (3, 0), (20, 2)))),
        (1, node("Mul", ["r", "s"], "y")), (2, "nine"),
        (5, message(*[(1, 1)] * 9, (2, 1), (8, "k"), (9, np.array([2], "<f4").tobytes()))),
        (11, value("x", 1, 2, 3)), (12, value("y", 1, 2, 3))))
    for name, data, inputs in (("a subgraph between two nodes", way,
                                {"x": x, "c": np.array(False)}),
                               ("a constant of nine dimensions", nine, {"x": x})):
        want = ort.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, inputs)
        with tempfile.TemporaryDirectory() as folder:
            settings = ort.SessionOptions()
            settings.log_severity_level = 4
            settings.enable_profiling = True
            settings.profile_file_prefix = f"{folder}/profile"
            settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
            settings.add_provider_for_devices(devices()[-1:], {})
            made = ort.InferenceSession(data, sess_options=settings)
            got = made.run(None, inputs)
            takes = ep.get_ep_name() in Path(made.end_profiling()).read_text()
        tell(takes and np.allclose(got[0], want[0]), name)


def says():
    """At severity INFO the session's log has the line of all front ends, and why one is left."""
    data = model(message((1, node("Relu", ["x"], "r")), (1, node("Hardmax", ["r"], "y")), (2, "g"),
                         (11, value("x", 1, 2, 3)), (12, value("y", 1, 2, 3))))
    settings = ort.SessionOptions()
    settings.log_severity_level = 1
    settings.add_provider_for_devices(devices()[-1:], {})
    kept = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        ort.InferenceSession(data, sess_options=settings)
        os.dup2(kept, 2)
        log.seek(0)
        said = log.read().decode()
    os.close(kept)
    tell("1 of 2 operators on loopback, the other with ONNX Runtime's other providers" in said and
         "left to others: " in said, "the log says what runs where")


def main():
    ort.register_execution_provider_library("nnaccel", ep.get_library_path())
    tell(devices(), "there is a device", str([dict(d.ep_metadata) for d in devices()]))
    for folder in map(Path, sys.argv[1:]):
        must = folder.name == "cases"
        for one in sorted(folder.iterdir()):
            if (one / "model.onnx").exists():
                case(one, must)
        if must:
            units(folder)
            uses(folder)
            saved(folder)
            hostile()
            others()
            says()
    ort.unregister_execution_provider_library("nnaccel")
    tell(not devices(), "after it is unregistered there is no device")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


sys.exit(main())
