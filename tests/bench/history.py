#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What make bench has measured beside what it had measured before: `make bench-history`.

    history.py --baseline FILE [--svg FILE] [--latency FILE] [--accept] NOW

Both files are of tests/bench/peers.py. Printed and drawn are the ratios to the other runtimes, for
times of different minutes mean little. Nothing here says whether a change is good, and none makes
this fail. --accept makes NOW the baseline. --latency writes the times of NOW as a page, for those
who ask what a run takes on a CPU that they know.
"""

import argparse
import json
import shutil
import sys
import textwrap
from pathlib import Path

PEERS = {"litert": "LiteRT", "ort": "ONNX Runtime", "openvino": "OpenVINO"}


class NoBench(Exception):
    """A file that is none of make bench."""


def load(path):
    """(the machine's CPU, {(model, threads): {peer: ratio}}) of a file."""
    try:
        content = json.loads(path.read_text())
        rows = {(str(row["model"]), int(row["threads"])):
                {str(peer): float(ratio) for peer, ratio in row["ratio"].items()}
                for row in content["rows"]}
        if any(not float(time) > 0 for row in content["rows"] for time in row["ms"].values()):
            raise ValueError("a time that is not above 0")
        if any(not ratio > 0 for ratios in rows.values() for ratio in ratios.values()):
            raise ValueError("a ratio that is not above 0")
        return str(content.get("cpu", "?")), rows
    except OSError as error:
        raise NoBench(f"{path}: {error.strerror}: make bench writes it") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoBench(f"{path} is not what make bench writes: {error!r}") from error


def pairs(then, now, peer):
    """[(model, threads, ratio then, ratio now)], with None for what was not measured."""
    found = []
    for key in sorted(set(then) | set(now)):
        both = then.get(key, {}).get(peer), now.get(key, {}).get(peer)
        if any(both):
            found.append((*key, *both))
    return found


def text(then, now):
    lines = [f"{'model':48} {'t':>2} {'':12} {'then':>6} {'now':>6} {'now/then':>8}"]
    for peer, name in PEERS.items():
        for model, threads, before, after in pairs(then, now, peer):
            cells = [f"{value:.2f}" if value else "-"
                     for value in (before, after, after / before if before and after else None)]
            lines.append(f"{model:48} {threads:2} {name:12} {cells[0]:>6} {cells[1]:>6} "
                         f"{cells[2]:>8}")
    return "\n".join(lines)


def measured(*runs):
    """{peer: name} of those that one of the runs has a ratio of, in their order."""
    found = {peer for run in runs for ratios in run.values() for peer in ratios}
    return {peer: name for peer, name in PEERS.items() if peer in found}


def draw(then, now, cpu, path):
    """A dot for each ratio, joined with a ring for the one before; the same bytes every time."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "nnaccel", "svg.fonttype": "none",
                                "font.size": 9, "axes.spines.top": False,
                                "axes.spines.right": False})
    from matplotlib import pyplot
    keys = sorted(set(then) | set(now), reverse=True)
    peers = measured(then, now)
    figure, panels = pyplot.subplots(1, len(peers), sharey=True, layout="constrained", squeeze=False,
                                     figsize=(4 + 3 * len(peers), 1.2 + 0.28 * len(keys)))
    panels = panels[0]
    for panel, (peer, name) in zip(panels, peers.items()):
        panel.axvline(1, color="0.6", linewidth=0.8)
        for model, threads, before, after in pairs(then, now, peer):
            place = keys.index((model, threads))
            if before and after:
                panel.plot([before, after], [place, place], color="0.7", linewidth=1.5, zorder=1)
            if before:
                panel.plot(before, place, "o", markerfacecolor="white", markeredgecolor="0.4",
                           zorder=2)
            if after:
                better = not before or after >= before
                panel.plot(after, place, "o", color="tab:green" if better else "tab:red", zorder=3)
        panel.set_title(f"{name} ÷ NNA")
        panel.set_xlim(left=0)
        panel.grid(axis="x", color="0.9")
        panel.set_axisbelow(True)
    panels[0].set_yticks(range(len(keys)), [f"{model}, {threads} thread{'s'[:threads > 1]}"
                                            for model, threads in keys])
    figure.suptitle(f"Speed of the NNA: above 1 it is faster (ring: before; {cpu})", fontsize=10)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def milliseconds(row, who):
    value = row["ms"].get(who)
    return f"{value:.2f}" if value else "-"


def latency(path, source):
    """Writes the page of the times of a file that load() has read."""
    content = json.loads(source.read_text())
    peers = measured(load(source)[1])
    about = (f"Median time of a run in milliseconds on this CPU: {content.get('cpu', '?')}. One "
             f"and two threads, {content.get('rounds', '?')} interleaved rounds; the NNA is the "
             "loopback in the program's own process. The times hold for this CPU and these "
             "minutes; the ratios of [bench.svg](bench.svg) hold longer. LiteRT is "
             f"{content.get('litert', '?')} with XNNPACK, ONNX Runtime is "
             f"{content.get('onnxruntime', '?')} with its CPU provider")
    if "openvino" in peers:
        about += f", OpenVINO is {content.get('openvino', '?')}"
    about += "; - was not measured, or gave other results."
    lines = ["# What a run takes", "",
             "<!-- Written by make bench-history from what make bench measured. -->", "",
             *textwrap.wrap(about, 98), "",
             f"| model | threads | NNA | {' | '.join(peers.values())} |",
             "|---|---|---" + "|---" * len(peers) + "|"]
    for row in sorted(content["rows"], key=lambda row: (row["model"], row["threads"])):
        times = " | ".join(milliseconds(row, who) for who in ("ours", *peers))
        lines.append(f"| {row['model']} | {row['threads']} | {times} |")
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--baseline", type=Path, required=True)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--latency", type=Path)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("now", type=Path)
    options = parser.parse_args()
    try:
        cpu, now = load(options.now)
        then_cpu, then = load(options.baseline) if options.baseline.exists() else (cpu, {})
    except NoBench as error:
        print(f"history: {error}", file=sys.stderr)
        return 1
    print(text(then, now))
    if not then:
        print(f"There is no {options.baseline}: --accept makes it.")
    if cpu != then_cpu:
        print(f"The baseline is of another machine: {then_cpu} then, {cpu} now.")
    if options.svg:
        draw(then, now, cpu, options.svg)
    if options.latency:
        latency(options.latency, options.now)
    if options.accept:
        shutil.copyfile(options.now, options.baseline)
    return 0


if __name__ == "__main__":
    sys.exit(main())
