#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""report.py [--svg FILE] EVENTS: what a soak has shown. EVENTS is events.jsonl of tests/soak/run.

Prints jobs, actions survived by kind, results, memory, and each failure. The exit status is 1 after one. A failure
is what the guest calls one (a wrong result, an error that no action explains, something left at the end), a line of
the kernel's log that is a splat, a soak that did not come to its end, and memory that grows.

Memory that grows: samples between two actions are fitted by least squares with one slope for all processes of a
kind and a level for each process, without the first WARM_S seconds of each: until then threads and their pools of
memory come into being. It grows if the slope is above BOUNDS, MiB in an hour, by more than three times its standard
error, and makes more than NOISE MiB in the longest life of a process. The guest's memory is what it could not
reclaim, the others' is their own (RssAnon).
"""

import argparse
import json
import math
import sys
from pathlib import Path

BOUNDS = {"guest": 16.0, "service": 4.0, "device": 4.0}
NOISE = 2.0
WARM_S = {"guest": 60, "service": 300, "device": 60}
LEAST = 8  # samples that a fit needs
NAMES = {"main": "client of the first device", "hot": "client of the hot-plugged device",
         "cases": "conformance cases", "hal": "conformance cases through the HAL"}


def load(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def memory(events, quiet):
    """{kind: {process: [(s, MiB)]}}"""
    series = {kind: {} for kind in BOUNDS}
    for event in events:
        sample = event.get("sample")
        if not sample or quiet and not sample["quiet"]:
            continue
        series["guest"].setdefault("guest", []).append((event["t"], sample["guest"] / 1024))
        if sample["hal"]:
            series["service"].setdefault(sample["run"], []).append((event["t"], sample["hal"] / 1024))
        for pid, kib in sample["devices"].items():
            series["device"].setdefault(pid, []).append((event["t"], kib / 1024))
    return series


def slope(processes, warm_s):
    """(MiB in an hour, its standard error, hours of the longest life); None if there is too little to fit."""
    xy = xx = yy = longest = 0.0
    count = levels = 0
    for points in processes.values():
        points = [(t / 3600, value) for t, value in points if t >= points[0][0] + warm_s]
        if len(points) < 2:
            continue
        mean_t = sum(t for t, _ in points) / len(points)
        mean = sum(value for _, value in points) / len(points)
        xy += sum((t - mean_t) * (value - mean) for t, value in points)
        xx += sum((t - mean_t) ** 2 for t, _ in points)
        yy += sum((value - mean) ** 2 for _, value in points)
        count, levels = count + len(points), levels + 1
        longest = max(longest, points[-1][0] - points[0][0])
    if count < LEAST or count - levels < 2 or not xx:
        return None
    fitted = xy / xx
    rest = max(yy - fitted * xy, 0.0)
    return fitted, math.sqrt(rest / (count - levels - 1) / xx), longest


def grows(kind, fit):
    fitted, error, hours = fit
    return fitted - 3 * error > BOUNDS[kind] and fitted * hours > NOISE


def kind_of(event):
    """What the guest has drawn within these kinds counts as a kind of its own: which fault, who is killed."""
    return event["text"] if event["text"].startswith(("fault: ", "kill: ")) else event["action"]


def hang(events):
    """What a soak without an end has waited for, or None."""
    if any("end" in event for event in events):
        return None
    begins = [i for i, event in enumerate(events) if "begin" in event]
    samples = [event["sample"] for event in events[begins[-1]:] if "sample" in event] if begins else []
    if not samples:
        return "the guest did not come to its end"
    first, last = samples[0]["ok"], samples[-1]["ok"]
    still = [NAMES[name] for name in last if last[name] == first[name]]
    return (f"the guest did not come to its end: after '{events[begins[-1]]['begin']}' no more results of: "
            f"{', '.join(still) or 'nobody in particular'}")


def judge(events):
    """(lines of text, failures)"""
    samples = [event["sample"] for event in events if "sample" in event]
    last = samples[-1] if samples else {"ok": {}, "wrong": 0, "allowed": 0}
    failures = [event["failed"] for event in events if isinstance(event.get("failed"), str)]
    splats = [event["splat"] for event in events if "splat" in event]
    failures += ["the kernel says: " + line for line in splats]
    failures += [text for text in [hang(events)] if text]
    kinds = {}
    for event in events:
        if "action" in event:
            counts = kinds.setdefault(kind_of(event), [0, 0])
            counts[0] += 1
            counts[1] += event["survived"]
    seed = next((event["seed"] for event in events if "seed" in event), "?")
    lines = [f"seed {seed}, {events[-1]['t'] / 3600:.2f} hours, {sum(n for n, _ in kinds.values())} actions", ""]
    lines.append(f"{'results compared':36} {sum(last['ok'].values()):8}")
    lines += [f"  {NAMES[name]:34} {count:8}" for name, count in last["ok"].items()]
    lines += [f"{'results wrong':36} {last['wrong']:8}",
              f"{'errors that an action explains':36} {last['allowed']:8}",
              f"{'splats':36} {len(splats):8}", "", f"{'action':36} {'done':>8} {'survived':>8}"]
    lines += [f"{kind:36} {done:8} {survived:8}" for kind, (done, survived) in sorted(kinds.items())]
    lines += ["", f"{'memory, MiB':20} {'first':>8} {'last':>8} {'max':>8} {'MiB/hour':>18}"]
    quiet = memory(events, True)
    for kind, processes in memory(events, False).items():
        values = [value for _, value in sorted(point for points in processes.values() for point in points)]
        if not values:
            continue
        fit = slope(quiet[kind], WARM_S[kind])
        told = f"{fit[0]:8.1f} +- {fit[1]:6.1f}" if fit else "too few samples"
        lines.append(f"{kind:20} {values[0]:8.1f} {values[-1]:8.1f} {max(values):8.1f} {told:>18}")
        if fit and grows(kind, fit):
            failures.append(f"memory of the {kind} grows by {fit[0]:.1f} MiB in an hour; "
                            f"{BOUNDS[kind]:g} are allowed")
    for kind, (done, survived) in kinds.items():
        if done and not survived and not failures:
            failures.append(f"no {kind} was survived")
    if last["ok"] and not all(last["ok"].values()) or not last["ok"]:
        failures.append("a bystander has no results")
    lines += ["", *[f"FAILED: {text}" for text in failures],
              f"{'0 passed, 1' if failures else '1 passed, 0'} failed"]
    return lines, failures


def draw(events, path):
    """Results, actions and memory over time, one above the other."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "nnaccel", "svg.fonttype": "none", "font.size": 9,
                                "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot
    samples = [(event["t"] / 60, event["sample"]) for event in events if "sample" in event]
    actions = [event for event in events if "action" in event]
    kinds = sorted({kind_of(event) for event in actions}, reverse=True)
    figure, panels = pyplot.subplots(
        5, 1, sharex=True, layout="constrained", figsize=(10, 12),
        gridspec_kw={"height_ratios": [2, max(1, 0.18 * len(kinds)), 1.5, 1, 1]})
    for name in samples[-1][1]["ok"] if samples else ():
        panels[0].plot([t for t, _ in samples], [sample["ok"][name] for _, sample in samples], label=NAMES[name])
    panels[0].set_ylabel("right results")
    panels[0].set_ylim(bottom=0)
    if samples:
        panels[0].legend(fontsize=8)
        panels[0].set_title(f"{samples[-1][1]['wrong']} wrong results", loc="left")
    for good, colour in ((True, "tab:green"), (False, "tab:red")):
        chosen = [event for event in actions if event["survived"] == good]
        panels[1].plot([event["t"] / 60 for event in chosen], [kinds.index(kind_of(event)) for event in chosen],
                       "o", color=colour, markersize=4)
    panels[1].set_yticks(range(len(kinds)), kinds)
    panels[1].grid(axis="y", color="0.9")
    panels[1].set_title("actions: green survived, red failed", loc="left")
    for panel, (kind, processes) in zip(panels[2:], memory(events, False).items()):
        for points in processes.values():
            panel.plot([t / 60 for t, _ in points], [value for _, value in points], linewidth=1)
        panel.set_ylabel("MiB")
        panel.set_ylim(bottom=0)
        panel.set_title({"guest": "memory of the guest that it cannot reclaim",
                         "service": "nnaccel-hal's own memory, a line for each process",
                         "device": "nna-device's own memory, a line for each process"}[kind], loc="left")
    panels[-1].set_xlabel("minutes")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--svg", type=Path)
    parser.add_argument("events", type=Path)
    options = parser.parse_args()
    events = load(options.events)
    lines, failures = judge(events)
    print("\n".join(lines))
    if options.svg:
        draw(events, options.svg)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
