# SPDX-License-Identifier: MIT
"""What mutate and mutate-kernel share: how a line is changed, the order of the seed, results."""

import filecmp
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess

ERRORS = ["EINVAL", "ENOMEM", "ENOENT", "EIO", "EBUSY", "ECANCELED", "ENODEV", "ETIMEDOUT"]

# A way is a function of a line and of the C expression that is true in the mutant. It returns the
# changed line, or None if it does not apply. Where a line can be changed at several places, a way
# returns a list.


def dropped(pattern):
    """A statement that calls what the pattern names, not executed by the mutant."""
    expression = re.compile(rf"^(\t+)((?=\w*?(?:{pattern}))\w+\(.*[;,])$")
    # In one statement, as an if would take the else of the one around it.
    return lambda line, this: expression.sub(rf"\1switch ((int)({this})) case 0: \2", line) \
        if expression.match(line) else None


def inverted(line, this):
    found = re.match(r"^(\t+(?:} else )?if \()(.*)(\)(?: \{)?)$", line)
    balanced = found and found.group(2).count("(") == found.group(2).count(")")
    return f"{found.group(1)}({this}) != !!({found.group(2)}){found.group(3)}" if balanced else None


def other_error(line, this):
    found = re.match(r"^(\t+(?:return|ret =|err =|error =) )-(E[A-Z]+)(;)$", line)
    if not found:
        return None
    at = ERRORS.index(found.group(2)) if found.group(2) in ERRORS else 0
    other = ERRORS[(at + 1) % len(ERRORS)]
    return f"{found.group(1)}({this}) ? -{other} : -{found.group(2)}{found.group(3)}"


class Mutant:
    """A mistake: at line number @i, from 0, of file @name. @variant is which place of the line, and
    @key what the results know it by."""

    def __init__(self, name, i, way, variant, lines):
        self.name, self.i, self.way, self.variant, self.line = name, i, way, variant, lines[i]
        # What depends on nothing but what stands there, so that other lines may change.
        around = "\n".join(lines[max(0, i - 2):i + 3])
        which = str(variant) if variant else ""
        self.key = hashlib.sha256(f"{name}{way}{which}{around}".encode()).hexdigest()[:10]

    def __str__(self):
        return f"{self.name}:{self.i + 1}: {self.way}: {self.line.strip()}"

    @property
    def place(self):
        return self.name, self.i


def all_mutants(top, names, ways, skips=lambda way, lines, i: False):
    """All mutants of the files, except those that are nobody's business."""
    for name in names:
        with open(f"{top}/{name}", encoding="utf-8") as f:
            lines = f.read().split("\n")
        for i, line in enumerate(lines):
            for way, change in ways.items():
                changed = change(line, "0")
                if changed is None or skips(way, lines, i):
                    continue
                for variant in range(len(changed) if isinstance(changed, list) else 1):
                    yield Mutant(name, i, way, variant, lines)


def in_turns(kinds):
    """The members of the lists, whose keys take turns: none is left out."""
    while any(kinds.values()):
        for members in filter(None, kinds.values()):
            yield members.pop()


def drawn(seed, found, kinds):
    """The mutants in the order of the seed, one of a line, their kinds taking turns. The first of
    the functions @kinds tells a mutant's kind, the next one the kinds within it."""
    def order(members, functions):
        if not functions:
            shuffled.shuffle(members)
            return members
        groups = {}
        for mutant in members:
            groups.setdefault(functions[0](mutant), []).append(mutant)
        return list(in_turns({kind: order(group, functions[1:])[::-1]
                              for kind, group in groups.items()}))

    shuffled, places = random.Random(seed), set()
    for mutant in order(list(found), kinds):
        if mutant.place not in places:
            places.add(mutant.place)
            yield mutant


class Results:
    """What has become of each mutant, a line of a file: key, outcome, which one it is."""

    def __init__(self, path):
        self.path, self.have = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    key, outcome = line.rstrip("\n").split("\t")[:2]
                    self.have[key] = outcome

    def get(self, mutant, default=None):
        return self.have.get(mutant.key, default)

    def note(self, mutant, outcome):
        self.have[mutant.key] = outcome
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(f"{mutant.key}\t{outcome}\t{mutant}\n")


def copy_tree(top, tree):
    """Makes the sources in @tree those of @top, also those that git does not know yet. What changes
    there is newer than its objects; what is new there is as old as in @top."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=top,
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    names = {name for name in listed if name and os.path.isfile(f"{top}/{name}")}
    for name in names:
        old, new = f"{tree}/{name}", f"{top}/{name}"
        if not os.path.exists(old):
            os.makedirs(os.path.dirname(old), exist_ok=True)
            shutil.copy2(new, old)
        elif not filecmp.cmp(old, new, shallow=False):
            shutil.copy(new, old)
    record = f"{tree}/.sources"
    if os.path.exists(record):
        with open(record, encoding="utf-8") as f:
            for name in set(f.read().split("\0")) - names:
                if os.path.exists(f"{tree}/{name}"):
                    os.remove(f"{tree}/{name}")
    with open(record, "w", encoding="utf-8") as f:
        f.write("\0".join(sorted(names)))


def run(log, limit, args, cwd, env=None):
    """Exit status; its output goes to the log. None if it takes longer than its limit."""
    with open(log, "w", encoding="utf-8") as f:
        process = subprocess.Popen(args, cwd=cwd, stdin=subprocess.DEVNULL, stdout=f,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, **(env or {})})
        try:
            return process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            return None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
