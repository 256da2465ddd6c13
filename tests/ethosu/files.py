#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Files that Vela has compiled, as people run them: by nnactl and by the delegate in LiteRT, against
LiteRT's kernels.

    files.py --vela PYTHON [--build BUILD] [--config NAME]... [--memory NAME]... [--vm]
             MODEL.tflite...

A node of the driver in the process (tests/ethosu/node.h, by LD_PRELOAD) runs the streams on the
device model. What Vela leaves runs on the NNA in the process. With --vm the node is that of the
kernel's driver in a VM (vm/setup --ethosu), the models are those that Vela compiles whole, and the
first one is benched, too. Needs LiteRT (tests/clients/setup
prints the interpreter to call this with), and Vela (tests/ethosu/setup). The last line is
"N passed, N failed, N skipped".
"""

import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(HERE), str(TOP / "tests/clients")]
import compiler  # noqa: E402

NODE = "/dev/accel/accel77"


def environment(build, config):
    return dict(os.environ, LD_PRELOAD=str(build / "tests/libethosu_node.so"),
                ETHOSU_NODE_MODEL=config)


def by_nnactl(build, config, file, inputs, folder, device):
    """Bytes of all outputs; or None and what nnactl said."""
    raw, out = folder / "in", folder / "out"
    raw.write_bytes(b"".join(i.tobytes() for i in inputs))
    done = subprocess.run([build / "bin/nnactl", "run", file, "--device", device, "--raw-input", raw,
                           "--raw-output", out], env=environment(build, config),
                          capture_output=True, text=True)
    return (None, done.stderr.strip()) if done.returncode else (out.read_bytes(), "")


def by_delegate(build, config, file, inputs, folder, device):
    """The same through LiteRT, in a process of its own."""
    job = folder / "job"
    job.write_bytes(pickle.dumps((str(build / "lib/libnnaccel_delegate.so"), device, str(file),
                                  inputs)))
    done = subprocess.run([sys.executable, __file__, "--job", job], env=environment(build, config),
                          capture_output=True)
    if done.returncode:
        return None, done.stderr.decode(errors="replace").strip()
    return done.stdout, ""


def run_job(path):
    """In that process: the outputs on stdout."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

    library, device, file, inputs = pickle.loads(Path(path).read_bytes())
    delegate = load_delegate(library, {"device": device})
    model = Interpreter(model_path=file, experimental_delegates=[delegate], num_threads=1,
                        experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    model.allocate_tensors()
    for detail, data in zip(model.get_input_details(), inputs):
        model.set_tensor(detail["index"], data)
    model.invoke()
    sys.stdout.buffer.write(b"".join(model.get_tensor(d["index"]).tobytes()
                                     for d in model.get_output_details()))


def dump_of(build, file):
    """What is wrong with the text that nnactl dump prints, without a device; "" for nothing."""
    done = subprocess.run([build / "bin/nnactl", "dump", "--json", file], capture_output=True,
                          text=True)
    if done.returncode:
        return done.stderr.strip()
    streams = [o["commands"] for o in json.loads(done.stdout)["operators"] if "commands" in o]
    if not streams or any(" is no command" in c or "  opcode 0x" in c for s in streams for c in s):
        return "commands without a name"
    return "" if all(s[-1].split()[1] == "STOP" for s in streams) else "no STOP"


def in_vm(options, build, process, config, tell):
    """All models in one boot, which leaves the outputs in files."""
    import operators

    script, jobs = "", []
    for path in options.models:
        path = path.absolute()
        folder = build / "ethosu/files" / config / path.stem
        shutil.rmtree(folder, ignore_errors=True)
        file = process.compile(path, config, folder, "Dedicated_Sram", form="tflite")
        _, inputs, outputs = operators.of_model(path)
        (folder / "in").write_bytes(b"".join(i.tobytes() for i in inputs))
        (folder / "job").write_bytes(pickle.dumps((str(build / "lib/libnnaccel_delegate.so"),
                                                   "/dev/accel/accel0", str(file), inputs)))
        jobs.append((folder, b"".join(o.tobytes() for o in outputs)))
        script += (f'"{build}/bin/nnactl" run "{file}" --raw-input {folder}/in '
                   f'--raw-output {folder}/by_nnactl >&2\n'
                   f'{sys.executable} {__file__} --job {folder}/job >{folder}/by_delegate\n')
    script += f'"{build}/bin/nnactl" bench --json --runs 5 {jobs[0][0]}/*_vela.tflite\n'
    done = subprocess.run([TOP / "vm/run", "--npu", config, "--mem", "2G", "--timeout", "900",
                           "--share", Path(sys.prefix), "--", "bash", "-c", script],
                          capture_output=True, text=True)
    for line in done.stderr.splitlines():
        print("#", line)
    for folder, expected in jobs:
        for how in ("by_nnactl", "by_delegate"):
            got = (folder / how).read_bytes() if (folder / how).exists() else b""
            tell("ok" if got == expected else "not ok", config, folder.name, how, "in a VM")
    try:
        runs = json.loads(done.stdout)["runs"]
    except (ValueError, KeyError):
        runs = done.stdout[-200:]
    tell("ok" if runs == 5 else "not ok", config, "bench in a VM", runs)


def main():
    import operators

    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--vela", required=True)
    parser.add_argument("--config", action="append")
    parser.add_argument("--memory", action="append")
    parser.add_argument("--vm", action="store_true")
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    build = options.build.absolute()
    process = compiler.Compiler(options.vela)
    count = {"ok": 0, "not ok": 0, "skip": 0}

    def tell(how, *text):
        count[how] += 1
        print(how, *text, flush=True)

    for config in (options.config or ["ethos-u65-256"]) if options.vm else []:
        in_vm(options, build, process, config, tell)
    for path in [] if options.vm else options.models:
        path = path.absolute()
        _, inputs, outputs = operators.of_model(path)
        expected = b"".join(o.tobytes() for o in outputs)
        for config in options.config or operators.THREE:
            for memory in options.memory or operators.MEMORY:
                name = f"{config} {memory} {path.stem}"
                with tempfile.TemporaryDirectory() as folder:
                    folder = Path(folder)
                    try:
                        file = process.compile(path, config, folder, memory, form="tflite")
                    except compiler.Refused as refused:
                        tell("skip", name, refused)
                        continue
                    said = dump_of(build, file)
                    tell("not ok" if said else "ok", name, "dump", said)
                    # The node alone first; where Vela has left operators, with the NNA's model.
                    for how in (by_nnactl, by_delegate):
                        got, said = how(build, config, file, inputs, folder, NODE)
                        if got is None and ("Vela left it" in said or "unresolved" in said):
                            got, said = how(build, config, file, inputs, folder, "loopback")
                        title = f"{name} {how.__name__}"
                        if got is None and "driver refuses its command stream" in said:
                            tell("skip", title, "the driver refuses RESIZE")
                        elif got is None:
                            tell("not ok", title, said.splitlines()[-1:])
                        elif got == expected:
                            tell("ok", title)
                        else:
                            a = np.frombuffer(got, np.uint8)
                            b = np.frombuffer(expected, np.uint8)
                            tell("not ok", title, "bytes differ:",
                                 (a != b).sum() if len(a) == len(b) else "another size", len(b))
    process.close()
    print(f"{count['ok']} passed, {count['not ok']} failed, {count['skip']} skipped")
    return count["not ok"] != 0 or not count["ok"]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        run_job(sys.argv[2])
    else:
        sys.exit(main())
