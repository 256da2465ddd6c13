#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The whole stack on an Ethos-U, through the kernel's own driver, in a VM: models that the library
compiles, by nnactl, by NNAPI, by the NN HAL and by LiteRT with the delegate. The bytes have to be
those that each gives with the NNA in this process.

    $(tests/clients/setup) tests/ethosu/stack.py [--build BUILD] [--config NAME]... MODEL.tflite...

Then the demo, in 8 bits, through NNAPI and through the HAL: the face has to be where it is on the NNA.
Then conformance cases on the node and through the HAL: those that the NPU supports pass, the rest is
skipped. Needs `vm/setup --ethosu`, and LiteRT for the delegate. The last line is "N passed, N failed,
N skipped".
"""

import argparse
import json
import os
import pickle
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

TOP = Path(__file__).resolve().parents[2]
NODE = "/dev/accel/accel0"
CONFIGS = ("ethos-u65-256", "ethos-u85-256")

# Of which about 300 are of operations that the NPU takes.
CASES = ["conv*quant8*", "depthwise*quant8*", "add*quant8*", "mul*quant8*", "fully*quant8*",
         "max_pool*", "avg_pool*", "relu*", "logistic*", "concat*"]
CASES_LEAST = 250
HAL_CASES = ["add*quant8*", "depthwise*quant8*"]

# The service is on the NPU's node; a model goes to it whole.
HAL = r"""
(
modprobe binder_linux devices=binder,hwbinder,vndbinder || exit 1
DEVICE=%s
. tests/hal/service.sh
"$BUILD/tests/hal/manager" >"$TMP/manager" 2>&1 &
manager=$!
wait_for "$TMP/manager" '^ready' $manager || { cat "$TMP/manager"; exit 1; }
start_hal || exit 1
for filter in %s; do
	echo "hal $filter $("$BUILD/tests/nnv_hal" --api=aidl --device=binder:nnaccel --jobs=1 \
		--filter="$filter" ../shared/nnapi-vectors 2>&1 | tail -n 1)"
done
echo "demo hal $(%s)"
stop_hal && echo "hal ended"
kill $manager
)
"""


# What the demo says on one line: the driver tells no times, so there are none.
DEMO = ("{build}/bin/{program} --model {model} --image {image} --expect 222,120 {more}"
        " 2>&1 | tr '\\n' '|'")
DEMO_TOLD = ("taken     all 73 operations", "device began (not told)", "end waited for")


def demo_files():
    """What demo/fetch gets: the model, the image."""
    said = subprocess.run([TOP / "demo/fetch"], capture_output=True, text=True, check=True).stdout
    return [shlex.split(line)[0].partition("=")[2] for line in said.splitlines()]


def demo(build, program, more):
    model, image = demo_files()
    return DEMO.format(build=build, program=program, model=model, image=image, more=more)


def face_of(said):
    return [line for line in said.split("|") if line.startswith("face ")]


def inputs_of(nnactl, model):
    """Random bytes for each input, as arrays of the model's types."""
    said = subprocess.run([nnactl, "info", "--json", "--device", "loopback", model],
                          capture_output=True, text=True, check=True).stdout
    drawn = np.random.default_rng(1)
    arrays = []
    for tensor in json.loads(said)["inputs"]:
        kind = np.dtype(tensor["type"].lower())
        if kind.kind == "f":
            arrays.append(drawn.random(tensor["dims"]).astype(kind))
        else:
            high = min(np.iinfo(kind).max, 255) + 1
            arrays.append(drawn.integers(0, high, tensor["dims"]).astype(kind))
    return arrays


def by_delegate(job):
    """In a process of its own: the outputs to a file."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

    library, device, file, inputs, out = pickle.loads(Path(job).read_bytes())
    model = Interpreter(model_path=file, num_threads=1,
                        experimental_delegates=[load_delegate(library, {"device": device})],
                        experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    model.allocate_tensors()
    for detail, data in zip(model.get_input_details(), inputs):
        model.set_tensor(detail["index"], data)
    model.invoke()
    parts = sum(op["op_name"] == "DELEGATE" for op in model._get_ops_details())
    print(f"{parts} parts on {device}")
    Path(out).write_bytes(b"".join(model.get_tensor(d["index"]).tobytes()
                                   for d in model.get_output_details()))


def commands_of(build, model, folder, device, inputs):
    """How each client runs the model: {client: (command, output)}."""
    where = "npu" if device == NODE else "nna"
    files = {how: folder / f"{how}.{where}" for how in ("nnactl", "nnapi", "delegate")}
    for file in files.values():
        file.unlink(missing_ok=True)
    (folder / "in").write_bytes(b"".join(a.tobytes() for a in inputs))
    job = folder / f"job.{where}"
    job.write_bytes(pickle.dumps((str(build / "lib/libnnaccel_delegate.so"), device, str(model),
                                  inputs, str(files["delegate"]))))
    return {
        "nnactl": (f"{build}/bin/nnactl run {model} --raw-input {folder}/in --raw-output "
                   f"{files['nnactl']} --device {device} --fallback loopback", files["nnactl"]),
        "nnapi": (f"env NNACCEL_DEVICE={device} {build}/tests/ethosu_nnapi {model} {folder}/in "
                  f"{files['nnapi']}", files["nnapi"]),
        "delegate": (f"{sys.executable} {__file__} --job {job}", files["delegate"]),
    }


def in_vm(config, script):
    """The guest's lines, which are printed as they come, and the status of the VM."""
    process = subprocess.Popen([TOP / "vm/run", "--npu", config, "--mem", "2G", "--timeout", "1500",
                                "--load", "vgem", "--share", Path(demo_files()[0]).parent,
                                "--share", Path(sys.prefix), "--share", TOP.parent / "shared",
                                "--", "bash", "-c", script], text=True, cwd=TOP,
                               stdout=subprocess.PIPE)
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        print("#", config, lines[-1], flush=True)
    return lines, process.wait()


def counts_of(line):
    found = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped", line)
    return tuple(map(int, found.groups())) if found else (0, 1, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--config", action="append")
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    build = options.build.absolute()
    count = {"ok": 0, "not ok": 0, "skip": 0}

    def tell(how, *text):
        count[how] += 1
        print(how, *text, flush=True)

    expected, todo = {}, {}
    for model in options.models:
        model = model.resolve()
        folder = build / "ethosu/stack" / model.stem
        folder.mkdir(parents=True, exist_ok=True)
        inputs = inputs_of(build / "bin/nnactl", model)
        for how, (command, out) in commands_of(build, model, folder, "loopback", inputs).items():
            done = subprocess.run(command.split(), capture_output=True, text=True, cwd=TOP)
            said = (done.stderr.strip().splitlines() or [""])[-1]
            if done.returncode:
                # NNAPI has not all of TFLite's operators.
                tell("skip" if how == "nnapi" else "not ok", model.stem, how, "on the NNA:", said)
                continue
            expected[model.stem, how] = out.read_bytes()
            todo[model.stem, how] = (model, folder, inputs)

    ranges = build / "ethosu/stack/ranges"
    for more in f"--measure {ranges}", f"--quantise {ranges} --device loopback":
        face = face_of(subprocess.run(demo(build, "nna-demo", more), shell=True, cwd=TOP,
                                      capture_output=True, text=True).stdout)
    print("# the demo on the NNA:", *face, flush=True)
    quantise = f"--quantise {ranges} --staged"
    for config in options.config or CONFIGS:
        script, outputs = f"export BUILD={build}\n", {}
        python = ""
        for (name, how), (model, folder, inputs) in todo.items():
            command, outputs[name, how] = commands_of(build, model, folder, NODE, inputs)[how]
            line = f'echo "{name} {how}: $({command} 2>&1 | tail -n 1)"\n'
            if how == "delegate":
                python += line
            else:
                script += line
        for case in CASES:
            script += (f"echo \"cases {case} $({build}/tests/nnv_run --device={NODE} --jobs=1 "
                       f"--filter='{case}' ../shared/nnapi-vectors 2>&1 | tail -n 1)\"\n")
        said = demo(build, "nna-demo", f"{quantise} --device {NODE}")
        script += f'echo "demo nnapi $({said})"\n'
        script += HAL % (NODE, " ".join(f"'{case}'" for case in HAL_CASES),
                         demo(build, "nna-demo-hal", quantise))
        said, status = in_vm(config, script + python)
        for (name, how), file in outputs.items():
            got = file.read_bytes() if file.exists() else b""
            same = got == expected[name, how]
            tell("ok" if same else "not ok", config, name, "by", how,
                 f"{len(got)} bytes, {len(expected[name, how])} expected")
        for how in "nnapi", "hal":
            lines = [line for line in said if line.startswith(f"demo {how} ")] or [""]
            good = face and face_of(lines[0]) == face and all(t in lines[0] for t in DEMO_TOLD)
            tell("ok" if good else "not ok", config, "demo by", how, *face_of(lines[0]))
        for kind, least in ("cases", CASES_LEAST), ("hal", 1):
            lines = [line for line in said if line.startswith(kind + " ") and "passed" in line]
            passed, failed, skipped = map(sum, zip((0, 0, 0), *map(counts_of, lines)))
            good = passed >= least and not failed
            tell("ok" if good else "not ok", config, kind,
                 f"{passed} passed, {failed} failed, {skipped} not supported")
        tell("ok" if "hal ended" in said else "not ok", config, "the service ends")
        tell("ok" if not status else "not ok", config, "the VM ends with", status)
    print(f"{count['ok']} passed, {count['not ok']} failed, {count['skip']} skipped")
    return count["not ok"] != 0 or not count["ok"]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        sys.exit(by_delegate(sys.argv[2]))
    os.environ.pop("NNACCEL_DEVICE", None)
    sys.exit(main())
