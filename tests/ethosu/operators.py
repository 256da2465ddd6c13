#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operators and models, compiled by Vela, on the Ethos-U in this process, against LiteRT.

    operators.py --vela PYTHON [--config NAME]... [--long] [--filter TEXT] [--count N]
                 [--keep DIRECTORY] [MODEL.tflite...]

A case is a file of one operator with values that reach ties and limits: those of the rows of 8 and
16 bits of tests/clients, which need no TensorFlow, and models with random inputs. LiteRT's kernels
compute it, Vela compiles it, ethosu_run runs the stream, and each byte has to be the same.

The judge is LiteRT's reference set (BUILTIN_REF); where that has a gap, its own without delegates.
Of FULLY_CONNECTED in INT8 it is BUILTIN, since the reference kernel reduces the multiplier to 16
bits. LISTED has what differs by construction of Vela, with a bound and the reason. The strict
checks have nothing to report of Vela's streams.

For each configuration a line for each operator that Vela leaves to the CPU or compiles to nothing,
for each listed difference, and for each failure; then the counts. --long runs all configurations in
all memory modes, and with choices of the compression and the schedule: these have to give the same
bytes, too. --keep writes the files, for driver.py. The last line is
"N passed, N failed, N skipped"; skipped is what Vela or LiteRT does not do.
"""

import argparse
import concurrent.futures
import importlib
import os
import pickle
import queue
import re
import sys
import tempfile
import threading
import zlib
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(HERE), str(TOP / "tests/clients")]
import compiler  # noqa: E402
import sweep  # noqa: E402
import table  # noqa: E402
import vela  # noqa: E402

ROWS = ("rows_eight", "rows_sixteen", "rows_lstm", "rows")
THREE = ("ethos-u65-256", "ethos-u65-512", "ethos-u85-256")
ALL = ("ethos-u65-256", "ethos-u65-512", "ethos-u85-128", "ethos-u85-256", "ethos-u85-512",
       "ethos-u85-1024", "ethos-u85-2048")
MEMORY = ("Shared_Sram", "Dedicated_Sram", "Sram_Only")
# What Vela may choose otherwise for the same bytes.
CHOICES = {"ethos-u65": (("--optimise", "Size"), ("--disable-cascading",),
                         ("--disable-buffering",)),
           "ethos-u85": (("--optimise", "Size"), ("--disable-fwd",), ("--disable-chaining",),
                         ("--disable-cascading",), ("--disable-buffering",),
                         ("--disable-ifm-reuse",))}


class Listed:
    """A difference by construction. @steps: the largest; @share: of the elements, at most."""

    def __init__(self, pattern, steps, share, reason, configs=""):
        self.pattern, self.configs = re.compile(pattern), configs
        self.steps, self.share, self.reason = steps, share, reason
        self.seen = False


BATCH = "Vela does not fold the batch or the depth into the pool: its OFM has the tensor's size"
NARROW = "Vela cuts the multiplier, made for 31 bits, to the 15 of records with a bias of 48 bits"
HALF = "Vela makes the same stream with half_pixel_centers and without"
ONE_AXIS = "Vela sums over one of the axes"
WRAP = "LiteRT negates numbers without their zero point, and INT16's least wraps; Vela's clamps"
LISTED = (
    Listed(r"REDUCE_(MAX|MIN)-(1-2|3)-.*", 65535, 1, BATCH),
    Listed(r"MIRROR_PAD-U?INT(8|16)", 65535, 1, "Vela mirrors height and width, not the depth"),
    Listed(r"NEG-INT(8|16)", 65535, 1, WRAP),
    Listed(r"SUM-(1-2|-1-0)-.*", 65535, 1, ONE_AXIS),
    Listed(r"SUM-3-UINT8", 1, 0.1, "the stream rounds exactly, LiteRT's sum does not"),
    Listed(r"TRANSPOSE-UINT8.*", 255, 1, "Vela copies as if it were INT8", "ethos-u65"),
    Listed(r"(CONV_2D|FULLY_CONNECTED|TRANSPOSE_CONV)-(channels-)?(INT32|sums)-INT16", 65535, 1,
           NARROW, "ethos-u85"),
    Listed(r"DIV-.*UINT8", 255, 1, "Vela divides the numbers without scales", "ethos-u85"),
    Listed(r"(GREATER|LESS)(_EQUAL)?-INT16", 1, 0.3, "LiteRT compares INT16 without scales",
           "ethos-u85"),
    Listed(r"NOT_EQUAL-INT16", 1, 0.05, "Vela scales the operands without LiteRT's shift by 8",
           "ethos-u85"),
    Listed(r"RESIZE_NEAREST_NEIGHBOR-(1|3|9|17)-.*", 65535, 1, HALF, "ethos-u85"),
)


class Case:
    """@name: unique; @path: the file; @inputs, @outputs: arrays of LiteRT, or None and @problem."""

    def __init__(self, name, path, model=False):
        self.name, self.path, self.model = name, path, model
        self.inputs = self.outputs = self.problem = None


def of_row(row, kind, number):
    """A row's file, inputs and outputs."""
    seed = [1, zlib.crc32(f"{row.name}-{kind}".encode()), number]
    made = table.Case(row, kind, number, np.random.default_rng(seed))
    made.runs = 1  # ethosu_run runs a stream once, from the state that it begins with
    outputs, _ = sweep.judge(made, row.own)
    if row.operator == "FULLY_CONNECTED" and kind == "INT8":
        outputs, _ = sweep.run(made.file(), made.inputs, sweep.OpResolverType.BUILTIN)
    details = sweep.Interpreter(model_content=made.file()).get_input_details()
    return made.file(), [made.inputs[d["name"]] for d in details], outputs


def of_model(path):
    """The same of a model."""
    interpreter = sweep.Interpreter(model_path=str(path), num_threads=1,
                                    experimental_op_resolver_type=sweep.REF)
    interpreter.allocate_tensors()
    random = np.random.default_rng(1)
    inputs = []
    for detail in interpreter.get_input_details():
        size = int(np.prod(detail["shape"])) * np.dtype(detail["dtype"]).itemsize
        data = random.integers(0, 256, size, np.uint8).view(detail["dtype"])
        inputs.append(data.reshape(detail["shape"]))
        interpreter.set_tensor(detail["index"], inputs[-1])
    interpreter.invoke()
    outputs = [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]
    return path.read_bytes(), inputs, outputs


def judge(case, make):
    """Fill the case in a process of its own: kernels end the process where they check nothing."""
    with tempfile.TemporaryFile() as result:
        child = os.fork()
        if not child:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                try:
                    answer = make()
                except (sweep.Refused, ValueError, RuntimeError) as error:
                    answer = str(error).strip().splitlines()[-1][:110]
                result.write(pickle.dumps(answer))
                result.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        result.seek(0)
        answer = result.read()
    answer = pickle.loads(answer) if answer else "LiteRT ends the process"
    if isinstance(answer, str):
        case.problem = answer
        return
    content, case.inputs, case.outputs = answer
    case.path.write_bytes(content)


def cases_of(options, folder):
    rows, made, names = [], [], {}
    for module in ROWS:
        rows += importlib.import_module(module).ROWS
    for row in rows:
        for kind in row.types:
            name = f"{row.name}-{kind}".replace(" ", "-")
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                name += f"-{names[name]}"
            for number in range(options.count):
                full = f"{name}.{number}" if options.count > 1 else name
                made.append((Case(full, folder / f"{full}.tflite"),
                             lambda r=row, k=kind, n=number: of_row(r, k, n)))
    for path in options.models:
        made.append((Case(path.stem, folder / path.name, True), lambda p=path: of_model(p)))
    made = [m for m in made if not options.filter or options.filter in m[0].name]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda m: judge(*m), made))
    return [case for case, _ in made]


class Variant:
    """A way to compile: counts, and what is said of single cases."""

    def __init__(self, config, memory="Shared_Sram", options=()):
        self.config, self.memory, self.options = config, memory, options
        self.name = " ".join((config, memory, *options))
        self.models = []
        self.equal = self.listed = self.failed = self.cpu = self.refused = 0
        self.lines = []

    def done(self):
        return self.equal + self.listed + self.failed + self.cpu + self.refused

    def report(self):
        for became, name, text in sorted(self.lines):
            word = {"failed": "not ok", "listed": "listed"}.get(became, "skip")
            print(f"{word} {self.name} {name}: {text}")
        for name in sorted(self.models):
            print(f"ok {self.name} {name}")
        print(f"# {self.name}: {self.equal} equal to LiteRT, {self.listed} listed, "
              f"{self.failed} failed, {self.cpu} on the CPU, {self.refused} that Vela refuses",
              flush=True)


def check(case, variant, vela_process, folder, options):
    """Return: what became of the case, a text, and the outputs' bytes if there are any."""
    try:
        program = vela.Program(vela_process.compile(case.path, variant.config, folder,
                                                    variant.memory, variant.options))
    except compiler.Refused as error:
        return ("cpu" if error.cpu else "refused"), str(error), None
    sizes = [size for _, _, size in program.outputs]
    if sizes != [o.nbytes for o in case.outputs]:
        wanted = [o.nbytes for o in case.outputs]
        return "failed", f"outputs have {sizes} bytes, LiteRT's {wanted}", None
    try:
        got, _ = vela.run(str(options.build / "tests/ethosu_run"), variant.config, program,
                          [i.tobytes() for i in case.inputs], threads=1, strict=True)
    except (RuntimeError, AssertionError) as error:
        return "failed", str(error).strip().splitlines()[-1], None
    wrong = total = steps = 0
    for ours, theirs in zip(got, case.outputs):
        ours = np.frombuffer(ours, theirs.dtype).astype(np.int64)
        theirs = theirs.astype(np.int64).ravel()
        far = np.abs(ours - theirs)
        wrong, total = wrong + int(np.count_nonzero(far)), total + far.size
        steps = max(steps, int(far.max(initial=0)))
    if not wrong:
        return "equal", "", got
    text = f"{wrong} of {total} differ, by {steps} at most"
    for entry in LISTED:
        if variant.config.startswith(entry.configs) and entry.pattern.fullmatch(case.name) and \
                steps <= entry.steps and wrong <= entry.share * total:
            entry.seen = True
            return "listed", f"{text}: {entry.reason}", got
    return "failed", text, got


def run_all(cases, variants, options, folder):
    """Run each case in each variant. Return: outputs by case, generation and variant.

    A variant is reported when its last case has run: a long run shows where it is, and what it has
    found if it is ended.
    """
    workers = queue.Queue()
    processes = [compiler.Compiler(options.vela) for _ in range(os.cpu_count())]
    for i, process in enumerate(processes):
        workers.put((process, folder / f"vela{i}"))
    lock, outputs = threading.Lock(), {}

    def one(pair):
        variant, case = pair
        worker = workers.get()
        try:
            became, text, got = check(case, variant, *worker, options)
        except Exception as error:
            became, text, got = "failed", f"{type(error).__name__}: {error}", None
        finally:
            workers.put(worker)
        with lock:
            setattr(variant, became, getattr(variant, became) + 1)
            if became == "equal" and case.model:
                variant.models.append(case.name)
            if text:
                variant.lines.append((became, case.name, text))
            if got is not None:
                outputs.setdefault((case.name, variant.config[:9]), []).append((variant, got))
            if variant.done() == len(runnable):
                variant.report()
    runnable = [case for case in cases if not case.problem]
    with concurrent.futures.ThreadPoolExecutor(len(processes)) as pool:
        list(pool.map(one, [(v, c) for v in variants for c in runnable]))
    for process in processes:
        process.close()
    return outputs


def variants_of(options):
    if not options.long:
        return [Variant(config) for config in options.config or THREE]
    configs = options.config or ALL
    found = [Variant(config, memory) for config in configs for memory in MEMORY]
    return found + [Variant(config, options=choice) for config in configs
                    for choice in CHOICES[config[:9]]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vela", required=True, help="Vela's Python")
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--config", action="append")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--filter", help="cases whose OPERATOR-TYPE has this in it")
    parser.add_argument("--count", type=int, default=1, help="cases for each row and type")
    parser.add_argument("--keep", type=Path, help="where the cases' files are written")
    parser.add_argument("models", nargs="*", type=Path)
    options = parser.parse_args()
    options.build = options.build.absolute()
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        files = (options.keep or scratch / "files").absolute()
        files.mkdir(parents=True, exist_ok=True)
        cases = cases_of(options, files)
        for case in cases:
            if case.problem:
                print(f"skip {case.name}: LiteRT: {case.problem}")
        variants = variants_of(options)
        outputs = run_all(cases, variants, options, scratch)
    for v in variants:
        passed, failed = passed + v.equal + v.listed, failed + v.failed
        skipped += v.cpu + v.refused
    same = 0
    for (name, generation), results in sorted(outputs.items()):
        other = [v.name for v, got in results if got != results[0][1]]
        if other:
            failed += 1
            print(f"not ok {name}: {results[0][0].name} and {', '.join(other)} differ")
        same += len(results) > 1 and not other
    print(f"# {same} cases have the same bytes in all variants of their generation")
    if not options.filter and not options.config:
        for entry in LISTED:
            if not entry.seen:
                failed += 1
                print(f"not ok the list has {entry.pattern.pattern}, which does not differ")
    print(f"# {len(cases)} cases, {sum(1 for c in cases if c.problem)} without LiteRT's result")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
