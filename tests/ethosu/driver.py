#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Models through the kernel's own driver for Ethos-U, in a VM: the bytes of the device model in this
process, which is judged against LiteRT elsewhere.

    driver.py [--build BUILD] [--config NAME]... [--vm-option OPTION]... [--operators DIRECTORY]
              [--count N] MODEL.tflite...

--operators names a folder of files of single operators (operators.py --keep): N of those that Vela
compiles whole, spread over all of them, run in the same boot.

Needs `vm/setup --ethosu`, and Vela (tests/ethosu/setup prints the interpreter to call this with).
Models whose streams leave operators to the CPU are skipped, by name. The last line is
"N passed, N failed, N skipped".
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import compiler  # noqa: E402
import vela  # noqa: E402

# Streams that the driver refuses (7.3): configuration, name, answer and reason.
REFUSED = (
    ("ethos-u65", r"MIRROR_PAD-.*", "SUBMIT: Value too large for defined data type",
     "negative strides"),
    ("ethos-u85", r"deeplabv3_mnv2_dm05_pascal_quant|RESIZE_(BILINEAR|NEAREST_NEIGHBOR)-.*",
     "CMDSTREAM_BO_CREATE: Invalid argument", "RESIZE"),
)

# The driver looks every 500 ms whether the job runs, and cancels one that has just ended and whose
# interrupt's thread has had no CPU yet. So a cancelled run is repeated, and said.
TRY = """
try() {
	local name=$1 k said
	shift
	for k in 1 2 3 4 5; do
		said=$("$@" 2>&1 | tail -n 1)
		[ "$said" = "run: Operation canceled" ] || break
		echo "$name: cancelled, run $k" >&2
	done
	echo "$name $said"
}
"""

TOP = Path(__file__).parents[2]


def prepare(model, config, build, process):
    """The folder with all that the guest needs, and the outputs that it has to give; or None."""
    folder = build / "ethosu" / config / model.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        program = vela.Program(process.compile(model, config, folder))
    except compiler.Refused:
        return None
    random = np.random.default_rng(1)
    inputs = [random.integers(0, 256, size, np.uint8).tobytes() for _, _, size in program.inputs]
    expected, _ = vela.run(build / "tests/ethosu_run", config, program, inputs)
    arguments, names = vela.files(program, inputs, str(folder))
    (folder / "arguments").write_text("\n".join(arguments))
    return folder, names, expected


def spread(models, count, take):
    """Up to @count results of take(model) that are not None, of models from all of the list."""
    found, left = [], list(models)
    while left and len(found) < count:
        step = max(1, len(left) // (count - len(found)))
        chosen, left = left[::step], [m for i, m in enumerate(left) if i % step]
        found += [job for job in map(take, chosen) if job][:count - len(found)]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--config", action="append")
    parser.add_argument("--vm-option", action="append", default=[])
    parser.add_argument("--operators", type=Path)
    parser.add_argument("--count", type=int, default=48)
    parser.add_argument("models", nargs="*", type=Path)
    options = parser.parse_args()
    build = options.build.absolute()
    passed = failed = skipped = 0
    process = compiler.Compiler(sys.executable)
    for config in options.config or ["ethos-u65-256", "ethos-u65-512", "ethos-u85-256"]:
        jobs = []
        for model in options.models:
            job = prepare(model.absolute(), config, build, process)
            if job:
                jobs.append(job)
            else:
                skipped += 1
                print(f"skip {config} {model.stem}: Vela leaves operators to the CPU")
        if options.operators:
            jobs += spread(sorted(options.operators.absolute().glob("*-*.tflite")), options.count,
                           lambda m: prepare(m, config, build, process))
        # One boot for all of them. Each run says how it has ended.
        script = "".join(
            f'mapfile -t a <{folder}/arguments; try {folder.name} "{build}/tests/ethosu_drive" '
            f'"${{a[@]}}"\n' for folder, _, _ in jobs)
        script = TRY + script
        done = subprocess.run([TOP / "vm/run", "--npu", config, "--timeout", "1200",
                               *options.vm_option, "--", "bash", "-c", script],
                              capture_output=True, text=True)
        for line in done.stderr.splitlines():
            print("#", line)
        said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
        for folder, names, expected in jobs:
            got = [Path(n).read_bytes() if Path(n).exists() else b"" for n in names]
            answer = said.get(folder.name, done.stderr.strip()[-200:])
            known = [(text, why) for npu, pattern, text, why in REFUSED
                     if config.startswith(npu) and re.fullmatch(pattern, folder.name)]
            if known:
                refused = known[0][0] in answer
                skipped += refused
                failed += not refused
                print("skip" if refused else "not ok", config, folder.name,
                      f"the driver refuses {known[0][1]}" if refused else answer)
                continue
            differ = sum(a != b for x, y in zip(got, expected) for a, b in zip(x, y))
            right = got == expected and said.get(folder.name) == "run: done"
            passed += right
            failed += not right
            print("ok" if right else "not ok", config, folder.name,
                  answer, f"{differ} of {sum(map(len, expected))} bytes differ", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0 or not passed


sys.exit(main())
