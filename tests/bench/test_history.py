#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""make bench-history on files that are made up: what it prints, draws and refuses.

    $(tests/clients/setup plot) tests/bench/test_history.py
"""

import copy
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

HISTORY = Path(__file__).resolve().parent / "history.py"
SVG = "{http://www.w3.org/2000/svg}"


def row(model, threads, **ratio):
    return {"model": model, "threads": threads, "runs": 3,
            "ms": {"ours": 2.0, **{peer: 2 * r for peer, r in ratio.items()}}, "ratio": ratio}


THEN = {"cpu": "Abacus 1", "rounds": 1, "rows": [row("alpha", 1, litert=0.5, ort=0.8),
                                                 row("alpha", 2, litert=0.4),
                                                 row("gone", 1, litert=2.0)]}
NOW = {"cpu": "Abacus 1", "rounds": 1, "rows": [row("alpha", 1, litert=1.0, ort=0.6, openvino=1.5),
                                                row("alpha", 2, litert=0.4),
                                                row("new", 1, litert=1.25)]}


def history(now, *arguments, status=0):
    Path("then.json").write_text(json.dumps(THEN))
    Path("now.json").write_text(now if isinstance(now, str) else json.dumps(now))
    done = subprocess.run([sys.executable, HISTORY, "--baseline", "then.json", *arguments,
                           "now.json"], capture_output=True, text=True, timeout=600)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def table():
    words = [line.split() for line in history(NOW).splitlines()[1:]]
    assert words == [["alpha", "1", "LiteRT", "0.50", "1.00", "2.00"],
                     ["alpha", "2", "LiteRT", "0.40", "0.40", "1.00"],
                     ["gone", "1", "LiteRT", "2.00", "-", "-"],
                     ["new", "1", "LiteRT", "-", "1.25", "-"],
                     ["alpha", "1", "ONNX", "Runtime", "0.80", "0.60", "0.75"],
                     ["alpha", "1", "OpenVINO", "-", "1.50", "-"]], words


def other_machine():
    assert "another machine" not in history(NOW)
    assert "Abacus 1 then, Abacus 2 now" in history(dict(NOW, cpu="Abacus 2"))


def markers(path, colour):
    """How many dots of a colour there are: markers are uses of a shape, with their own style."""
    return sum(colour in (use.get("style") or "") for use in xml.parse(path).iter(SVG + "use"))


def drawing():
    history(NOW, "--svg", "a.svg")
    history(NOW, "--svg", "b.svg")
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    texts = ["".join(t.itertext()) for t in xml.parse("a.svg").iter(SVG + "text")]
    for wanted in ("alpha, 1 thread", "alpha, 2 threads", "gone, 1 thread", "new, 1 thread",
                   "LiteRT ÷ NNA", "ONNX Runtime ÷ NNA", "OpenVINO ÷ NNA"):
        assert wanted in texts, (wanted, texts)
    assert any("Abacus 1" in t for t in texts)
    # Not slower: alpha three times, and new. Slower: alpha in ONNX Runtime.
    assert markers("a.svg", "#2ca02c") == 4 and markers("a.svg", "#d62728") == 1


def latencies():
    history(NOW, "--latency", "a.md")
    lines = Path("a.md").read_text().splitlines()
    assert any("Abacus 1." in line for line in lines), lines
    assert lines[-3:] == ["| alpha | 1 | 2.00 | 2.00 | 1.20 | 3.00 |",
                          "| alpha | 2 | 2.00 | 0.80 | - | - |",
                          "| new | 1 | 2.00 | 2.50 | - | - |"], lines
    # The committed page is of the committed numbers.
    baseline = HISTORY.parent / "baseline.json"
    history(baseline.read_text(), "--latency", "b.md")
    assert Path("b.md").read_text() == (HISTORY.parents[2] / "docs/bench.md").read_text()


def accepting():
    history(NOW, "--accept")
    assert json.loads(Path("then.json").read_text()) == NOW
    Path("first.json").unlink(missing_ok=True)
    assert "no first.json" in history(NOW, "--baseline", "first.json", "--svg", "first.svg")
    assert not Path("first.json").exists()
    # Nothing is slower than nothing.
    assert markers("first.svg", "#2ca02c") == 5 and not markers("first.svg", "#d62728")
    history(NOW, "--baseline", "first.json", "--accept")
    assert json.loads(Path("first.json").read_text()) == NOW


def refused():
    broken = copy.deepcopy(NOW)
    del broken["rows"][1]["threads"]
    negative = copy.deepcopy(NOW)
    negative["rows"][0]["ratio"]["litert"] = -1
    for bad in "", "[]", "{}", "{", '{"rows": [3]}', '{"rows": {"a": 1}}', broken, negative:
        said = history(bad, "--svg", "none.svg", "--accept", status=1)
        assert said.startswith("history: now.json is not what make bench writes"), said
        assert not Path("none.svg").exists() and json.loads(Path("then.json").read_text()) == THEN
    done = subprocess.run([sys.executable, HISTORY, "--baseline", "then.json", "none.json"],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 1 and "make bench writes it" in done.stderr


def main():
    failed = 0
    cases = table, other_machine, drawing, latencies, accepting, refused
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in cases:
            try:
                case()
                print("ok", case.__name__)
            except AssertionError as error:
                failed += 1
                print("not ok", case.__name__, error)
        os.chdir("/")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
