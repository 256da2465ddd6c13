#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What models cost on an Ethos-U: bytes on each port, and an estimate of cycles.

    $(tests/ethosu/setup) cost.py [--build DIRECTORY] [--config NAME]... [--layers] MODEL.tflite...

First the account (device/ethosu/cost.h, by ethosu_cost) of Vela's streams is compared with Vela's own
of the same streams, layer by layer, all memory in SRAM: cycles of the NPU and of the port, and
bytes. Each is within NEAR of Vela's, or less than FEW away, or EXPLAINED.

Then the library compiles the same models, and its streams stand beside those of Vela's for an SRAM
that it shares: first with constants in DRAM and all else in SRAM, then with all in DRAM, as the
kernel's driver has it without a pool of SRAM. A stream's time is that of its kernels and DMAs, which
run beside each other. It is at most MOST times Vela's on models of which the library leaves a SOFTMAX
at the end, or nothing; Vela's are counted without that SOFTMAX then. Others have no bound.

--layers prints all layers. The last line is "N passed, N failed, N skipped"; skipped is a model of
which Vela leaves operators to the CPU.
"""

import argparse
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
import compiler  # noqa: E402
import vela  # noqa: E402

CONFIGS = ("ethos-u65-256", "ethos-u65-512", "ethos-u85-256")
NEAR = 0.1
FEW_CYCLES, FEW_BYTES = 200, 1100  # a table of 1 KiB is a DMA in the stream, and none for Vela
MOST = 1.3
NODE = "/dev/accel/accel77"
# Layers that are further away, by generation and Vela's name, and why.
EXPLAINED = {
    ("u85", "Tanh"): "for Vela table memory takes a byte per cycle, and its copy is of the NPU",
    ("u85", "AvgPool"): "the columns that a block reads are rounded up to microblocks here, and by "
                        "Vela to units of memory, which depend on the depth",
}
COLUMNS = ("macs", "sram", "dram", "npu", "sram_cycles", "dram_cycles", "cycles", "end")


def account(build, config, stream, sram=None):
    """Each operation of a stream: its name and what it costs."""
    done = subprocess.run([build / "tests/ethosu_cost", "--config", config, "--stream", stream]
                          + (["--sram", sram] if sram else []),
                          capture_output=True, text=True, check=True)
    return [(row[1], dict(zip(COLUMNS, map(int, row[2:]))))
            for row in map(str.split, done.stdout.splitlines())]


def add(to, cost):
    for name in COLUMNS:
        to[name] = cost[name] if name == "end" else to.get(name, 0) + cost[name]


def total(operations):
    result = dict.fromkeys(COLUMNS, 0)
    for _, cost in operations:
        add(result, cost)
    return result


def tables_of(path):
    """Vela's database: rows of each table by its name."""
    found = re.findall(r'<table name="(\w+)">\s*<!\[CDATA\[\n(.*?)\]\]>', path.read_text(), re.S)
    return {name: list(csv.DictReader(io.StringIO(text))) for name, text in found}


def number(row, name):
    return float(row.get(name) or 0)


def bytes_of(row, memory):
    """What Vela counts for a memory, without what short bursts waste."""
    result = 0
    for way in ("read", "write"):
        part = row.get(f"{memory}_{way}_efficiency")
        result += (float(part) if part else 1) * sum(
            number(row, name) for name in row
            if re.fullmatch(rf"{memory}(Lut|FeatureMap|Weights|Scales)_{way}", name))
    return round(result)


def layers_of(operations, tables):
    """
    Layers: Vela's name and numbers, ours, and how many of Vela's operations it is. Kernels are in the
    order of Vela's queue; a DMA is of the kernel after it. An operation of Vela's without cycles is
    chained to the one before: they run at the same time, in which Vela counts some of the maps.
    """
    costs = {row["id"]: row for row in tables["perf"]}
    details = {row["id"]: row for row in tables["perf_debug"]}
    queue = [row["scheduled_id"] for row in tables["queue"]]
    kernels = sum(name != "DMA" for name, _ in operations)
    assert kernels == len(queue), f"{kernels} kernels, {len(queue)} in Vela's queue"
    layers, copies, last = [], [], None
    for name, cost in operations:
        if name == "DMA":
            copies.append(cost)
            continue
        number_of = queue.pop(0)
        theirs = costs[number_of]
        ours = {}
        for part in [cost, *copies]:
            add(ours, part)
        copies = []
        if number_of == last:
            add(layers[-1]["ours"], ours)
        elif not number(theirs, "npu_cycles") and layers:
            # All pass the output stage, and the multipliers work meanwhile.
            layers[-1]["output"] += ours["npu"]
            layers[-1]["chained"] += 1
            layers[-1]["ours"]["npu"] = max(layers[-1]["ours"]["npu"], layers[-1]["output"])
        else:
            layers.append({"name": theirs["operator"], "ours": ours, "chained": 0,
                           "output": ours["npu"] if name == "ELEMENTWISE" else 0, "theirs": {
                "npu": number(theirs, "npu_cycles"), "sram_cycles": number(theirs, "Sram_ac"),
                "sram": bytes_of(details[number_of], "Sram")}})
        last = number_of
    return layers


def is_near(name, ours, theirs):
    few = FEW_BYTES if name == "sram" else FEW_CYCLES
    return abs(ours - theirs) <= max(NEAR * theirs, few)


def check_account(options, made, model, config, folder):
    """Return: whether the account is Vela's, and a line about it."""
    output = made.compile(model, config, folder, "Sram_Only",
                          ["--verbose-performance", "--enable-debug-db"])
    program = vela.Program(output)
    stream = folder / "stream"
    stream.write_bytes(program.stream.tobytes())
    database = folder / (Path(model).stem + "_debug.xml")
    layers = layers_of(account(options.build, config, stream, "all"), tables_of(database))
    wrong, explained, lines, sums = 0, 0, [], {}
    for at, layer in enumerate(layers):
        # Of a chain Vela says the sum of its maps elsewhere.
        names = ("npu",) if layer["chained"] else ("npu", "sram_cycles", "sram")
        far = [n for n in names if not is_near(n, layer["ours"][n], layer["theirs"][n])]
        for name in layer["theirs"]:
            pair = sums.setdefault(name, [0, 0])
            pair[0] += layer["ours"][name]
            pair[1] += layer["theirs"][name]
        why = EXPLAINED.get((config.split("-")[1], layer["name"]))
        explained += bool(far and why)
        wrong += bool(far and not why)
        if far and not why or options.layers:
            lines.append("  %s layer %d, %s%s: %s" % (
                "explained" if far and why else "FAR" if far else "   ", at, layer["name"],
                " and chained" if layer["chained"] else "",
                ", ".join("%s %d, Vela %d" % (n, layer["ours"][n], layer["theirs"][n])
                          for n in layer["theirs"])))
    lines.insert(0, "%d layers, %d far, %d explained; NPU %.3f of Vela's cycles, port %.3f, %.3f of its bytes"
                 % (len(layers), wrong, explained, *(sums[n][0] / max(sums[n][1], 1)
                                          for n in ("npu", "sram_cycles", "sram"))))
    return layers and not wrong, "\n".join(lines)


def ours_of(options, model, config, folder):
    """Streams of the library for a model, and how many operators it leaves."""
    streams = folder / "streams"
    streams.mkdir()
    environment = dict(os.environ, LD_PRELOAD=str(options.build / "tests/libethosu_node.so"),
                       ETHOSU_NODE_MODEL=config, ETHOSU_NODE_STREAMS=str(streams))
    done = subprocess.run([options.build / "bin/nnactl", "bench", model, "--device", NODE,
                           "--fallback", "loopback", "--runs", "1"],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    left = re.search(r"(\d+) of (\d+) operators on", done.stderr)
    return sorted(streams.iterdir(), key=lambda path: int(path.name)), \
        int(left[2]) - int(left[1]) if left else 0


def cut_softmax(operations, tables):
    """What is before a SOFTMAX, which ends a model."""
    names = {row["id"]: row for row in tables["perf"]}
    sources = {row["id"]: row["operator"] for row in tables["source"]}
    keep, at = [], 0
    for name, cost in operations:
        if name != "DMA":
            row = names[tables["queue"][at]["scheduled_id"]]
            if sources.get(row["source_id"], "").lower() == "softmax":
                break
            at += 1
        keep.append((name, cost))
    return keep


def compare(options, made, model, config, folder):
    """Return: whether the library's streams cost no more than MOST times Vela's; lines about it."""
    output = made.compile(model, config, folder, "Shared_Sram",
                          ["--verbose-performance", "--enable-debug-db"])
    stream = folder / "stream"
    stream.write_bytes(vela.Program(output).stream.tobytes())
    tables = tables_of(folder / (Path(model).stem + "_debug.xml"))
    streams, left = ours_of(options, model, config, folder)
    lines, good = [], True
    for sram, where in ((None, "constants in DRAM"), ("none", "all in DRAM")):
        operations = account(options.build, config, stream, sram)
        theirs = total(cut_softmax(operations, tables) if left == 1 else operations)
        listed, ends = [], []
        for path in streams:
            listed += account(options.build, config, path, sram)
            ends.append(listed[-1][1]["end"])
        ours = total(listed)
        ours["end"] = sum(ends)
        ratio = ours["end"] / theirs["end"]
        bounded = left <= 1
        good &= not bounded or ratio <= MOST
        lines.append("%s, %s: %.2f times Vela's cycles (%d, %d); NPU %.2f; bytes of SRAM %.2f, of "
                     "DRAM %.2f%s" % (
                         "%d left" % left, where, ratio, ours["end"], theirs["end"],
                         ours["npu"] / theirs["npu"], ours["sram"] / max(theirs["sram"], 1),
                         ours["dram"] / max(theirs["dram"], 1), "" if bounded else ", no bound"))
        if options.layers:
            lines += ["   %-12s %s" % (name, " ".join("%s %d" % pair for pair in cost.items()))
                      for name, cost in listed]
    return good, "\n  ".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build")
    parser.add_argument("--config", action="append")
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    options.build = options.build.absolute()
    counts = {True: 0, False: 0}
    skipped = 0
    made = compiler.Compiler(sys.executable)
    for model in options.models:
        for config in options.config or CONFIGS:
            name = f"{config} {Path(model).stem}"
            try:
                with tempfile.TemporaryDirectory() as folder:
                    good, said = check_account(options, made, model, config, Path(folder))
                print("ok" if good else "FAILED", name, "account:", said, flush=True)
                counts[bool(good)] += 1
                with tempfile.TemporaryDirectory() as folder:
                    good, said = compare(options, made, model, config, Path(folder))
                print("ok" if good else "FAILED", name, "beside Vela:", said, flush=True)
                counts[bool(good)] += 1
            except compiler.Refused as refused:
                print(name, "skipped:", refused, flush=True)
                skipped += 1
    made.close()
    print("%d passed, %d failed, %d skipped" % (counts[True], counts[False], skipped))
    return bool(counts[False]) or not counts[True]


if __name__ == "__main__":
    sys.exit(main())
