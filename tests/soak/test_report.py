#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The report of a soak on events that are made up: what is a failure, and what is not.

    $(tests/clients/setup plot) tests/soak/test_report.py
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

REPORT = Path(__file__).resolve().parent / "report.py"


def soak(guest=lambda t: 300, service=lambda t: 9, device=lambda t: 20):
    """An hour with a sample each minute, MiB by functions of seconds; the service is killed every 20 minutes."""
    events = [{"t": 0, "seed": 7}]
    for minute in range(61):
        t = 60.0 * minute
        mib = {"guest": guest(t), "slab": 40, "hal": service(t), "devices": {"10": device(t), "11": device(t) + 5}}
        kib = {key: int(1024 * value) for key, value in mib.items() if key != "devices"}
        kib["devices"] = {pid: int(1024 * value) for pid, value in mib["devices"].items()}
        events.append({"t": t, "sample": {
            "quiet": True, "run": minute // 20, "wrong": 0, "allowed": minute, "failed": 0, "action": "",
            "ok": {"main": 10 * minute, "hot": minute, "cases": minute, "hal": minute}, **kib}})
        events.append({"t": t + 1, "action": "suspend" if minute % 2 else "reset", "survived": True, "text": ""})
    events.append({"t": 3700.0, "end": {"failed": 0, "wrong": 0}})
    return events


def report(events, *arguments, status=0):
    Path("events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    done = subprocess.run([sys.executable, REPORT, *arguments, "events.jsonl"], capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert not done.stderr, done.stderr
    assert done.stdout.endswith("0 passed, 1 failed\n" if status else "1 passed, 0 failed\n"), done.stdout
    return done.stdout


def whole():
    text = report(soak())
    assert "61 actions" in text and "results compared                          780" in text, text
    assert "suspend                                    30       30" in text, text
    text = report([*soak(), {"t": 9.0, "action": "fault", "survived": True, "text": "fault: hang 1"}])
    assert "fault: hang 1                               1        1" in text, text


def told_failures():
    text = report([*soak(), {"t": 9.0, "failed": "wrong result: x"}], status=1)
    assert "FAILED: wrong result: x" in text, text
    report([*soak(), {"t": 9.0, "splat": "BUG: y"}], status=1)


def bystander_without_results():
    events = soak()
    for event in events:
        if "sample" in event:
            event["sample"]["ok"]["hal"] = 0
    report(events, status=1)
    report([{"t": 0, "seed": 7}], status=1)


def hangs():
    """Without an end, who has given no more results since the last action began is named."""
    events = soak()[:-1]
    text = report(events, status=1)
    assert "FAILED: the guest did not come to its end\n" in text, text
    events.append({"t": 3650.0, "begin": "unplug"})
    for minute in range(3):
        sample = dict(events[-3 if not minute else -1]["sample"])
        sample["ok"] = {"main": 700 + minute, "hot": 60, "cases": 60 + minute, "hal": 60 + minute}
        events.append({"t": 3660.0 + minute, "sample": sample})
    text = report(events, status=1)
    assert "after 'unplug' no more results of: client of the hot-plugged device\n" in text, text


def growth():
    """Each kind of memory, above its bound and below it, with noise of 2 MiB."""
    noise = random.Random(1)

    def rising(base, per_hour):
        return lambda t: base + per_hour * t / 3600 + noise.uniform(-1, 1)

    for kind, bound in (("guest", 16), ("service", 4), ("device", 4)):
        report(soak(**{kind: rising(100, 0)}))
        report(soak(**{kind: rising(100, bound / 2)}))
        text = report(soak(**{kind: rising(100, 4 * bound)}), status=1)
        assert f"memory of the {kind} grows" in text, text


def warming_up():
    """The first minutes of a process, and the difference between one process and the next, are no growth."""
    report(soak(service=lambda t: 2 + t % 1200 / 60 if t % 1200 < 300 else 12 + t // 1200))


def picture():
    report(soak(), "--svg", "soak.svg")
    text = "".join(xml.parse("soak.svg").getroot().itertext())
    assert "0 wrong results" in text and "suspend" in text, text


def main():
    failed = 0
    tests = (whole, told_failures, bystander_without_results, hangs, growth, warming_up, picture)
    for test in tests:
        try:
            test()
            print(f"ok {test.__name__}")
        except AssertionError as error:
            failed += 1
            print(f"FAIL {test.__name__}: {error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.exit(main())
