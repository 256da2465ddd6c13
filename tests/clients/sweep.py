#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sweeps operators over types, attributes, random scales and zero points, to the bit.

    sweep.py [--delegate LIBRARY] [--filter TEXT] [--seed N] [--count N] [--keep DIRECTORY]

A case is a file of one operator, made here, whose inputs reach ties, saturation, both signs and the
limits of their type. LiteRT's kernels run it, then the NNA does, through the delegate: each byte of
each output has to be the same. The kernels are the reference ones (BUILTIN_REF); where that set has
a gap, LiteRT's own without delegates; a row may ask for the latter and says why. nnactl takes the
delegate's place for operators with a subgraph, which a delegate does not see, and on BFLOAT16.

The cases come from rows in rows_*.py beside this file (table.py tells what a row is). A line for
each row and type, printed as soon as it has run, tells the cases, the largest difference in steps
(of floats: in units of the last place), and what was asked of whom; the last one counts what passed,
what failed, and what was skipped since LiteRT itself refuses it, or since it is listed: it differs,
or the NNA leaves it, for a reason that its row states. A reason that no case needs is a failure. So
is a line of the audit in docs/tflite.md that names a file without a row of its operator, or none of
whose cases passed. On files on which LiteRT's kernels end the process, nnactl has to give a result or
to refuse. A case depends on the seed, its row and its number alone: --filter does not change it. --keep writes
the files and inputs of cases that fail.
"""

import argparse
import concurrent.futures
import importlib
import mmap
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
import traceback
import zlib
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

import onefile
import table

REF = OpResolverType.BUILTIN_REF
OWN = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES


class Refused(Exception):
    """LiteRT does not run a case."""


def run(model, inputs, resolver, delegate=None, runs=1):
    """
    The outputs of the last of @runs of a file, and whether a delegate computed them. @inputs by name.
    """
    interpreter = Interpreter(model_content=model, num_threads=1,
                              experimental_delegates=delegate and [delegate],
                              experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    for _ in range(runs):
        for detail in interpreter.get_input_details():
            interpreter.set_tensor(detail["index"], inputs[detail["name"]])
        interpreter.invoke()
    taken = any(op["op_name"] == "DELEGATE" for op in interpreter._get_ops_details())
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()], taken


def widened(a):
    """BFLOAT16 as FLOAT32."""
    return a.astype(np.float32) if a.dtype == onefile.TYPES["BFLOAT16"] else a


class Ended(Exception):
    """nnactl was ended by a signal."""


def run_alone(case, nnactl, device):
    """The same of nnactl: a delegate does not see the subgraphs of an operator."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "model.tflite").write_bytes(case.file())
        command = [os.path.abspath(nnactl), "run", folder / "model.tflite", "--device", device]
        for number, (name, value) in enumerate(case.inputs.items()):
            # nnactl takes and gives BFLOAT16 as FLOAT32.
            np.save(folder / f"{name}.npy", widened(value))
            command += ["--input", f"{number}={folder / name}.npy"]
        for number in range(len(case.outs)):
            command += ["--output-npy", f"{number}={folder / 'out'}{number}.npy"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode < 0:
            raise Ended(f"nnactl is ended by signal {-result.returncode}")
        if result.returncode:
            raise RuntimeError(result.stderr)
        return [np.load(folder / f"out{number}.npy") for number in range(len(case.outs))], True


def judge(case, own):
    """What LiteRT's kernels give, by which set. The case's file learns the shapes of outputs."""
    problem = None
    for resolver in [OWN] if own else [REF, OWN]:
        try:
            outputs, _ = run(case.file(), case.inputs, resolver, runs=case.runs)
            break
        except (ValueError, RuntimeError) as error:
            problem = error
    else:
        raise Refused(str(problem).strip().splitlines()[-1])
    case.set_shapes([o.shape for o in outputs])
    return [widened(o) for o in outputs], resolver


def order(a):
    """Floats as integers in the same order, so that neighbours differ by 1."""
    bits = a.view(np.int32 if a.itemsize == 4 else np.int16).astype(np.int64)
    return np.where(bits < 0, np.iinfo(np.int32 if a.itemsize == 4 else np.int16).min - bits, bits)


def steps(ours, theirs):
    """The largest difference of two outputs; any NaN is as good as another."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return float("inf")
    if not ours.size or ours.tobytes() == theirs.tobytes():
        return 0
    if theirs.dtype.kind == "c":
        return steps(ours.view(np.float32), theirs.view(np.float32))
    if theirs.dtype.kind != "f":
        return int(np.max(np.abs(ours.astype(object) - theirs.astype(object))))
    nan = np.isnan(theirs)
    if np.any(nan != np.isnan(ours)):
        return float("inf")
    return int(np.max(np.abs(order(ours) - order(theirs))[~nan], initial=0))


def close(ours, theirs, bound):
    """Whether floats differ by no more than @bound; infinities and NaN are the same ones."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype or ours.dtype.kind not in "fc":
        return False
    special = ~np.isfinite(theirs)
    if not np.array_equal(ours[special], theirs[special], equal_nan=True):
        return False
    ours, theirs = ours[~special].astype(complex), theirs[~special].astype(complex)
    return bool(np.all(abs(ours - theirs) <= bound * np.maximum(abs(theirs), 1)))


class Line:
    """The sum of the cases of an operator and type."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.largest = 0
        self.seconds = 0.0
        self.judges, self.said = set(), []

    def say(self, text):
        if text not in self.said:
            self.said.append(text)

    def add(self, other):
        for key in ("passed", "failed", "skipped", "seconds"):
            setattr(self, key, getattr(self, key) + getattr(other, key))
        self.largest = max(self.largest, other.largest)
        self.judges |= other.judges
        self.said += other.said


def check(case, row, line, compute, progress):
    """Whether a case passed; None where LiteRT refuses it."""
    progress.note(f"LiteRT ended at case {case.number} ({case.told})")
    known = row.listed.get(case.type)
    try:
        theirs, resolver = judge(case, row.own)
    except Refused as error:
        line.say(f"LiteRT: {error}"[:110])
        return None
    line.judges.add("ref" if resolver == REF else "own")
    progress.note(f"case {case.number} ({case.told}) ended the process")
    try:
        ours, taken = compute(case)
    except Ended as error:
        line.say(f"case {case.number} ({case.told}): {error}")
        return False
    except (ValueError, RuntimeError) as error:
        if known:
            line.say(f"known: {known}")
            return None
        line.say(str(error).strip().splitlines()[-1][:110])
        return False
    if not taken and known:
        line.say(f"left: {known}")
        return None
    if not taken:
        line.say(f"case {case.number} ({case.told}) is left by the delegate")
        return False
    largest = max((steps(a, b) for a, b in zip(ours, theirs)), default=0)
    line.largest = max(line.largest, largest)
    if largest > row.steps and not (row.bound and all(
            steps(a, b) <= row.steps or close(a, b, row.bound) for a, b in zip(ours, theirs))):
        if known:
            line.say(f"known: {known}")
            return None
        line.say(f"case {case.number} ({case.told}) is off by {largest}")
        return False
    return True


def keep(case, directory):
    directory.mkdir(parents=True, exist_ok=True)
    name = f"{case.row.name}_{case.type}_{case.number}"
    (directory / f"{name}.tflite").write_bytes(case.file())
    np.savez(directory / f"{name}.npz", **case.inputs)


class Progress:
    """What a child does now, for the parent that finds it ended."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 4096)

    def note(self, text):
        self.memory[:] = text.encode()[:4096].ljust(4096, b"\0")

    def text(self):
        return self.memory[:].rstrip(b"\0").decode(errors="replace")


def sweep_row(row, kind, options, progress):
    """The line of a row with a type."""
    line = Line()
    delegate = load_delegate(os.path.abspath(options.delegate), {"device": options.device})

    def compute(case):
        if row.body or row.graphs or any(t["type"] == "BFLOAT16" for t in case.tensors):
            return run_alone(case, options.nnactl, options.device)
        return run(case.file(), case.inputs, OWN, delegate, case.runs)

    start = time.perf_counter()
    variants = len(row.variants())
    for number in range(variants if row.once else max(options.count, variants)):
        seed = [options.seed, zlib.crc32(f"{row.name}-{kind}".encode()), number]
        case = table.Case(row, kind, number, np.random.default_rng(seed))
        good = check(case, row, line, compute, progress)
        line.passed += good is True
        line.failed += good is False
        line.skipped += good is None
        if good is False and options.keep:
            keep(case, options.keep)
    known = row.listed.get(kind)
    if known and not any(text.endswith(known) for text in line.said):
        line.failed += 1
        line.say(f"nothing differs, but it is listed: {known}")
    line.seconds = time.perf_counter() - start
    return line


def crash(row, kind, options):
    """How nnactl ends on cases on which LiteRT's kernels end the process, or None: it must not."""
    for number in range(len(row.variants())):
        case = table.Case(row, kind, number, np.random.default_rng(number))
        try:
            run_alone(case, options.nnactl, options.device)
        except RuntimeError:
            # Refused, as it may be.
            continue
        except Ended as error:
            return f"case {number} ({case.told}): {error}"
    return None


def sweep_apart(row, kind, options):
    """The same in a process of its own: kernels end the process where they check nothing."""
    progress = Progress()
    with tempfile.TemporaryFile() as result:
        child = os.fork()
        if not child:
            status = 1
            try:
                os.dup2(os.open(options.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644), 2)
                result.write(pickle.dumps(sweep_row(row, kind, options, progress)))
                result.flush()
                status = 0
            except BaseException:
                progress.note(traceback.format_exc().strip().splitlines()[-1])
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if not status:
            result.seek(0)
            return pickle.load(result)
    line = Line()
    # Where LiteRT's kernels end the process there is nothing to compare with.
    ended = row.once and status < 0 and progress.text().startswith("LiteRT ended")
    crashed = crash(row, kind, options) if ended else None
    line.failed, line.skipped = int(not ended or crashed is not None), int(ended and not crashed)
    if crashed:
        line.say(crashed)
    line.say(progress.text() + (f" by signal {-status}" if status < 0 else ""))
    return line


def sweep(rows, options):
    """The name, type and line of each row, in order, as soon as it and those before it have run."""
    asked = [(row, kind) for row in rows for kind in row.types
             if not options.filter or options.filter in f"{row.name}-{kind}"]
    # Threads only wait for processes.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (row, kind), line in zip(asked, pool.map(
                lambda pair: sweep_apart(*pair, options), asked)):
            yield row.name, kind, line


def audited(page):
    """{operator: the files of rows} of the audit, the table in docs/tflite.md."""
    lines = re.findall(r"^\| (\w+) \| [^|]+ \| [^|]+ \| ([^|]*`[^|]+) \|$", page, re.M)
    return {name: set(re.findall(r"`(rows_\w+)\.py`", tests)) for name, tests in lines}


def audit(page, homes, lines):
    """
    Faults of the audit: a line names each file of which a case of the operator passed, and no other
    one. Of a file without such a case nothing has been compared. @homes: the rows of each file.
    """
    told, passed = audited(page), {}
    for home, rows in homes.items():
        for row in rows:
            count = sum(lines[row.name, kind].passed for kind in row.types if (row.name, kind) in lines)
            key = row.operator, home
            passed[key] = passed.get(key, 0) + count
    for name, files in told.items():
        for home in sorted(files):
            if (name, home) not in passed:
                yield f"{name}: {home}.py has no row of it"
            elif not passed[name, home]:
                yield f"{name}: no case of {home}.py passed"
    for name, home in sorted(passed):
        if name in told and passed[name, home] and home not in told[name]:
            yield f"{name}: the audit does not name {home}.py"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delegate", default="build/lib/libnnaccel_delegate.so")
    parser.add_argument("--nnactl", default="build/bin/nnactl", help="runs rows with subgraphs")
    parser.add_argument("--device", default="loopback")
    parser.add_argument("--filter", help="rows whose OPERATOR-TYPE has this in it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="cases for each row and type")
    parser.add_argument("--keep", type=Path, help="where files of cases that fail are written")
    parser.add_argument("--audit", type=Path, default=Path("docs/tflite.md"),
                        help="the table that has to name the rows; all of them are to be swept")
    parser.add_argument("--log", default="/dev/null", help="where the libraries' messages go")
    options = parser.parse_args()
    homes = {path.stem: importlib.import_module(path.stem).ROWS
             for path in sorted(Path(__file__).parent.glob("rows_*.py"))}
    lines = {}
    print(f"{'operator':28} {'type':6} {'cases':>6} {'failed':>6} {'steps':>6} {'s':>6}  judge")
    for name, kind, line in sweep([row for rows in homes.values() for row in rows], options):
        cases = line.passed + line.failed + line.skipped
        print(f"{name:28} {kind:6} {cases:6} {line.failed:6} {line.largest:6} "
              f"{line.seconds:6.2f}  {'+'.join(sorted(line.judges)) or '-':7} "
              f"{'; '.join(line.said[:2])}".rstrip(), flush=True)
        lines.setdefault((name, kind), Line()).add(line)
    passed, failed, skipped = (sum(getattr(line, key) for line in lines.values())
                               for key in ("passed", "failed", "skipped"))
    for fault in [] if options.filter else audit(options.audit.read_text(), homes, lines):
        print("audit: " + fault)
        failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
