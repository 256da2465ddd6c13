#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""
Makes the manual: generate.py VERSION OUT [CPP...]

  section 3   a page for each part of nnaccel.h, of its comments, and a link for each function. The
              version since which a function is there is that of its node in libnnaccel.map.
  nnaccel-operations(7)
              the operations with their operands, of the comments that open the files of
              libnnaccel/ops, and how many operands there are, of the structs nna_op in them, which
              CPP (`cc -E` with the makefile's flags) makes readable
  nnactl(1)   its commands, of their help in tools/nnactl
  the rest    man/*.[0-9], with the version put in

What is missing ends it with an error: a function without a comment, a parameter that the comment
leaves out or that is not there, a result without "Return:", an operation without operands.
"""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
HEADER = TOP / "libnnaccel/include/nnaccel.h"
# Part of the header -> what its page is about.
PARTS = {
    "version": "the version of the library, and messages",
    "device": "open an accelerator and ask what it is",
    "graph": "describe a neural network",
    "program": "compile a graph, save and load what comes of it",
    "buffer": "memory that the caller shares with the accelerator",
    "execution": "run a program",
    "fence": "wait for the end of a run",
}
# Of what is generated.
# REUSE-IgnoreStart
LICENCE = "SPDX-License-Identifier: MIT"
# REUSE-IgnoreEnd
errors = []


def escape(text):
    """Text that troff prints as it stands."""
    text = text.replace("\\", "\\e")
    text = re.sub(r"(?<![\w-])-(?=E[A-Z])|--(?=[a-z])",
                  lambda m: m.group().replace("-", "\\-"), text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def prose(text):
    """The same with names set off: @parameter, function(), CONSTANT, `words as they are`."""
    text = escape(text)
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text)
    text = re.sub(r"@(\w+)", r"\\fI\1\\fP", text)
    text = re.sub(r"\b(nna_\w+)\(\)", r"\\fB\1\\fP()", text)
    return re.sub(r"\b(NNA_[A-Z0-9_]+)\b", r"\\fB\1\\fP", text)


def code(text):
    """Lines as they are, indented."""
    text = text.expandtabs(8).replace("\\", "\\e").replace("-", "\\-")
    return ".in +4n\n.nf\n%s\n.fi\n.in\n" % re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def comment_lines(comment):
    """The lines of a comment without its stars."""
    comment = re.sub(r"^/\*+ ?|\s*\*/$", "", comment.strip())
    return [re.sub(r"^ ?\* ?", "", line.lstrip()) if line.lstrip().startswith("*") else line
            for line in comment.split("\n")]


class Doc:
    """A kernel-doc comment: summary, parameters, paragraphs, what is returned."""
    def __init__(self, comment):
        lines = comment_lines(comment)
        while lines and not lines[0].strip():
            lines.pop(0)
        self.name, self.summary = (lines.pop(0).split(" - ", 1) + [""])[:2]
        self.params, text, last = {}, [], None
        for line in lines:
            found = re.match(r"@(\w+): (.*)", line)
            if found:
                last = found[1]
                self.params[last] = found[2]
            elif last and line.startswith("\t"):
                self.params[last] += " " + line.strip()
            else:
                last = None
                text.append(line)
        paragraphs = [p.strip() for p in re.split(r"\n\s*\n", "\n".join(text)) if p.strip()]
        self.returns = [p[len("Return:"):].strip() for p in paragraphs if p.startswith("Return:")]
        self.paragraphs = [p for p in paragraphs if not p.startswith("Return:")]


def parse(header):
    """The parts of the header: name -> list of (kind, name, declaration, Doc or comment). A comment
    that stands by itself is about the functions of its part; its kind and name are "part"."""
    text = header
    text = text[text.index("struct nna_fence;"):text.index("the size of structs that grow */")]
    parts, current, pending = {"version": []}, "version", None
    token = re.compile(r"/\* -+ (\w+) \*/|(/\*.*?\*/)|"
                       r"((?:static inline|NNACCEL_API)[^;{]*?\b(\w+)\([^;]*\);)|"
                       r"((?:struct|enum) (\w+) \{.*?\n?\};)", re.S)
    for part, comment, function, name, kind, kind_name in token.findall(text):
        if part:
            current, pending = part, None
            parts[current] = []
        elif comment:
            if pending:
                parts[current].append(("part", "part", "", pending))
            pending = comment
        elif function and not name.endswith("_sized"):
            parts[current].append(("function", name, function, pending))
            pending = None
        elif kind:
            parts[current].append((kind.split()[0], kind_name, kind, pending))
            pending = None
    return parts


def threads(header):
    """What the comment that opens the header says of threads."""
    text = "\n".join(comment_lines(header[header.index("/*\n"):header.index("#ifndef")]))
    found = re.search(r"^Thread-safety: (.*?)\n\n", text, re.S | re.M)
    if not found:
        errors.append("%s: its first comment has no paragraph Thread-safety" % HEADER.name)
        return ""
    return found[1][0].upper() + found[1][1:].replace("\n", " ")


def since():
    """function -> version of its node in the version script."""
    out = {}
    script = re.sub(r"/\*.*?\*/", "", (TOP / "libnnaccel/libnnaccel.map").read_text(), flags=re.S)
    for version, body in re.findall(r"NNACCEL_([\d.]+)\s*\{(.*?)\}", script, re.S):
        out.update((name, version) for name in re.findall(r"(nna_\w+);", body))
    return out


def parameters(declaration):
    """Names of a function's parameters."""
    inside = declaration[declaration.index("(") + 1:declaration.rindex(")")]
    if inside.strip() == "void":
        return []
    return [re.findall(r"\w+", re.sub(r"\[[^]]*\]", "", p))[-1] for p in inside.split(",")]


def prototype(declaration):
    """Without what is only for the compiler."""
    text = re.sub(r"^(NNACCEL_API|static inline) ", "", declaration)
    return re.sub(r"\s+", " ", text)


def check(name, declaration, doc):
    """What the comment of a function leaves out."""
    if doc.name != name + "()":
        errors.append("%s(): its comment is about %s" % (name, doc.name))
    wanted = parameters(declaration)
    for p in wanted:
        if p not in doc.params:
            errors.append("%s(): @%s is not described" % (name, p))
    for p in doc.params:
        if p not in wanted:
            errors.append("%s(): there is no parameter @%s" % (name, p))
    if not re.match(r"(NNACCEL_API|static inline) void \w", declaration) and not doc.returns:
        errors.append("%s(): what it returns is not said" % name)


def list_of(params):
    return "".join(".TP\n.I %s\n%s\n" % (name, prose(text)) for name, text in params.items())


def hanging(lines):
    """A synopsis: a line that is too long is broken between words, and goes on further in."""
    return (".nh\n.ad l\n.in +8n\n" + "".join(".ti -8n\n%s\n.br\n" % line for line in lines) +
            ".in\n.ad b\n.hy\n")


def head(name, section, version):
    return '.\\" %s\n.TH %s %s "" "nnaccel %s" "nnaccel"\n' % (
        LICENCE, name.upper().replace("-", "\\-"), section, version)


def page_of(part, items, version, nodes, shared):
    """A page of section 3. @shared: what is said of threads, of all functions."""
    functions = [(n, d, c) for k, n, d, c in items if k == "function"]
    out = [head("nnaccel_" + part, 3, version), ".SH NAME\n",
           ", ".join(["nnaccel_" + part] + [n for n, _, _ in functions]),
           " \\- ", PARTS[part], "\n",
           ".SH SYNOPSIS\n.B #include <nnaccel.h>\n.P\n"]
    prototypes = []
    for _, declaration, _ in functions:
        # Lines are broken before parameters.
        text = re.sub(r"(?<!,) ", r"\\ ", prototype(declaration))
        if parameters(declaration):
            text = re.sub(r"(\w+)(\[\w+\])?([,)])", r'" \1 "\2\3', text)
        prototypes.append('.BI "%s"' % text.replace("(", "(\\:"))
    out.append(hanging(prototypes) +
               ".P\nBuild with $(pkg\\-config \\-\\-cflags \\-\\-libs nnaccel).\n.SH DESCRIPTION\n")
    out += [prose(" ".join(comment_lines(c)).strip()) + "\n.P\n"
            for k, _, _, c in items if k == "part"]
    for name, declaration, comment in functions:
        if not comment or not comment.startswith("/**"):
            errors.append("%s(): no comment for the manual" % name)
            continue
        doc = Doc(comment)
        check(name, declaration, doc)
        if name not in nodes and name + "_sized" not in nodes:
            errors.append("%s(): libnnaccel.map does not name it" % name)
        summary = doc.summary[0].upper() + doc.summary[1:]
        out += [".SS ", name, "()\n", prose(summary), ".\n", list_of(doc.params)]
        out += [".P\n%s\n" % prose(p) for p in doc.paragraphs]
        out += [".P\nReturns %s\n" % prose(r) for r in doc.returns]
    structs = [i for i in items if i[0] in ("struct", "enum") and len(i[2]) < 2500]
    if structs:
        out.append(".SH TYPES\n")
    for kind, name, definition, comment in structs:
        out += [".SS ", kind, " ", name, "\n"]
        doc = Doc(comment) if comment and comment.startswith("/**") else None
        if doc:
            out += [prose(doc.summary[0].upper() + doc.summary[1:]), ".\n"]
        elif comment:
            out += [prose(" ".join(x.strip() for x in comment_lines(comment))), "\n"]
        out.append(".P\n" + code(definition))
        if doc:
            out += [list_of(doc.params)] + [".P\n%s\n" % prose(p) for p in doc.paragraphs]
    versions = sorted({nodes.get(n, nodes.get(n + "_sized", "?")) for n, _, _ in functions})
    out.append(".SH ERRORS\nNegative errno values, which \\fBnnaccel\\fP(7) explains. The log that "
               "the caller has given gets a line that names the thing and what to do.\n"
               ".SH THREADS\n%s\n.SH VERSIONS\n" % prose(shared))
    for v in versions:
        names = [n for n, _, _ in functions if nodes.get(n, nodes.get(n + "_sized")) == v]
        names = "all of them" if len(versions) == 1 else ", ".join(names)
        out.append("Since %s: %s.\n" % (v, names))
    others = ["\\fBnnaccel_%s\\fP(3)" % p for p in PARTS if p != part]
    others = ["\\fBnnaccel\\fP(7)", "\\fBnnaccel-operations\\fP(7)"] + others
    out += [".SH SEE ALSO\n", ", ".join(others), "\n"]
    return "".join(out), [n for n, _, _ in functions]


# ------------------------------------------------------------------------------- operations

def counts(cpp):
    """Operation -> (least inputs, most, least outputs, most) that the library takes; None is no limit."""
    text = subprocess.run(cpp + ["-P", "libnnaccel/support/signature_table.c"], check=True, text=True,
                          cwd=TOP, stdout=subprocess.PIPE).stdout
    out = {}
    for row in re.split(r"\{ NNA_OPERATION_\w+, (?=\")", text)[1:]:
        numbers = {"inputs": [], "outputs": []}
        for form in re.split(r"\{ \.in = ", row)[1:]:
            if not re.match(r"\{ (0|1|false|true), (1|true) \}", form):
                continue
            lists = re.findall(r"\.(inputs|outputs) = \(const struct nna_formal\[\]\) \{(.*?)"
                               r"\{ \.count = 0 \} \}", form)
            for what, formals in lists:
                numbers[what].append(count_of(formals))
        limits = []
        for found in numbers.values():
            most = [m for _, m in found]
            limits += [min(least for least, _ in found), None if None in most else max(most)]
        out[re.match(r'"(\w+)"', row)[1]] = tuple(limits)
    return out


def count_of(formals):
    """(Least, most) of a list of struct nna_formal, in the support column."""
    least, most, over = 0, 0, False
    for formal in formals.split("{ .count = ")[1:]:
        number = int(re.match(r"\((\d+)\)", formal)[1])
        flags = re.search(r"\.flags = \{ [^,]*, ([^}]*)\}", formal)
        flags = re.findall(r"(\d)u", flags[1]) if flags else []  # NNA_LAST is 2, NNA_NONE_WILL_DO 4
        over = over or "2" in flags
        many = number == 255  # NNA_MANY
        if not over:
            least += (0 if "4" in flags else 1) if many else number
        most = None if many or most is None else most + number
    return least, most


def said(least, most, what):
    if most is None:
        return "%d or more %ss" % (least, what)
    if least == most:
        return "%d %s%s" % (least, what, "" if least == 1 else "s")
    return "%d to %d %ss" % (least, most, what)


def opening(path):
    """The lines of the comment that opens a file, after its licence."""
    comments = re.findall(r"/\*.*?\*/", path.read_text(), re.S)
    about = next(c for c in comments if "SPDX" not in c)
    return comment_lines(about.replace("see window.h", "see WINDOWS"))


def is_about_inside(paragraph):
    """Whether it tells how the library does it, which is not for users."""
    return re.search(r"\b(ir|commands?|infer\(\)|lower\(\)|compiler|[Ll]owered|the runtime|"
                     r"MATMUL|\w+\.[ch])\b", paragraph)


def operand(rows):
    """A row of a table of operands with the rows that continue it."""
    fields = [f for f in rows[0].split("\t") if f.strip()]
    number, name = fields[0].strip(), fields[1].strip() if len(fields) > 1 else ""
    kind = fields[2].strip() if len(fields) > 2 else ""
    about = " ".join([f.strip() for f in fields[3:]] + [r.strip() for r in rows[1:]])
    text = ".TP\n\\fB%s\\fP\t\\fI%s\\fP\t%s\n" % (number, escape(name), escape(kind))
    return text + (prose(about) if about else "\\&") + "\n"


def operands_of(lines):
    """A file's comment as troff."""
    out, paragraphs = [], re.split(r"\n\s*\n", "\n".join(lines))
    for p in paragraphs:
        rows = [r for r in p.split("\n") if r.strip()]
        if not rows:
            continue
        if re.match(r"\t(in|out) \d", rows[0]):
            group = []
            for row in rows + [None]:
                if group and (row is None or re.match(r"\t(in|out) \d", row)):
                    out.append(operand(group))
                    group = []
                if row is not None:
                    group.append(row)
        elif rows[0].startswith("\t"):
            out.append(".P\n" + code("\n".join(r.expandtabs(8)[8:] for r in rows)))
        elif not is_about_inside(p):
            out.append(".P\n%s\n" % prose(" ".join(r.strip() for r in rows)))
    return "".join(out)


def defined_in():
    """(Name of a struct nna_op -> its operation, file -> names of those that it defines)."""
    names = dict(re.findall(r"^NNA_OP\((\w+), (\w+),",
                            (TOP / "libnnaccel/support/operation_list.h").read_text(), re.M))
    where = {}
    for path in sorted((TOP / "libnnaccel/ops").glob("*.c")):
        definition = re.compile(r"nna_op_(\w+) = \{|^[A-Z_]+\((\w+), NNA_OPERATION_", re.M)
        found = [a or b for a, b in definition.findall(path.read_text())]
        if set(found) & set(names):
            where[path] = [name for name in found if name in names]
    for name in set(names) - {n for found in where.values() for n in found}:
        errors.append("operation %s: no file of libnnaccel/ops defines it" % names[name])
    return names, where


def family(path, members, numbers):
    """The operations that a file defines."""
    text = operands_of(opening(path))
    if "\\fBin 0" not in text:
        errors.append("%s: its operands are not described" % path.relative_to(TOP))
    out, groups = [".SS %s\n" % ", ".join(operation for _, operation in members)], {}
    for name, operation in members:
        groups.setdefault(numbers[operation], []).append(operation)
    for n, which in groups.items():
        which = "" if len(groups) == 1 else ", ".join(which) + ": "
        out.append("%s%s, %s.\n.br\n" % (which, said(*n[:2], "input"), said(*n[2:], "output")))
    return "".join(out) + text


def operations(page, cpp):
    """The page of the operations with all of them."""
    names, where = defined_in()
    numbers = counts(cpp)
    grammar = "\n".join(opening(TOP / "libnnaccel/ops/op.h"))
    types = grammar[grammar.index("Types are NNAPI's"):grammar.index("An operation has three")]
    window = "\n".join(opening(TOP / "libnnaccel/ops/window.h"))
    window = re.sub(r"\s\(struct nna_window_order\)", "", window)
    enums = {n: d for k, n, d, _ in parse(HEADER.read_text())["graph"] if k == "enum"}
    codes = [enums[n] for n in ("nna_activation", "nna_cell_act", "nna_padding")]
    parts = {
        "TYPES": operands_of(types.split("\n")),
        "CODES": "".join(".P\n" + code(c) for c in codes),
        "WINDOWS": operands_of(window.split("\n")),
        "OPERATIONS": "".join(family(f, [(m, names[m]) for m in members], numbers)
                              for f, members in where.items()),
    }
    for name, text in parts.items():
        page = page.replace("@%s@" % name, text.rstrip())
    return page


# ---------------------------------------------------------------------------------- nnactl

def strings(text):
    """What C string literals one after the other say."""
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
    return text.replace("\\n", "\n").replace('\\"', '"')


def nnactl(page):
    """nnactl's page with its commands, in the order of its table."""
    sources = {p: p.read_text() for p in (TOP / "tools/nnactl").glob("*.c")}
    commands = {}
    for text in sources.values():
        definition = r"const struct nnactl_command NNACTL_(\w+) = \{(.*?)\n\};"
        for name, body in re.findall(definition, text, re.S):
            commands[name] = {f: strings(re.search(r"\.%s =(.*?),\n" % f, body, re.S)[1])
                              for f in ("name", "arguments", "what", "help")}
    order = re.findall(r"&NNACTL_(\w+),", sources[TOP / "tools/nnactl/nnactl.c"])
    if sorted(order) != sorted(commands):
        errors.append("nnactl: its table has %s, its files %s" % (order, sorted(commands)))
    synopsis, text = [], []
    for c in (commands[name] for name in order):
        usage, _, about = c["help"].partition("\n\n")
        synopsis.append(".B nnactl %s \\fR%s" % (c["name"], c["arguments"].replace("-", "\\-")))
        what = c["what"][0].upper() + c["what"][1:]
        text.append(".SS %s\n%s.\n.P\n%s" % (c["name"], what, code(usage)))
        text += [".P\n%s\n" % prose(p) for p in about.split("\n\n") if p]
    synopsis += [".B nnactl help \\fR[\\fICOMMAND\\fR]", ".B nnactl \\-\\-version"]
    page = page.replace("@SYNOPSIS@", hanging(synopsis).rstrip())
    return page.replace("@COMMANDS@", "".join(text).rstrip())


def main():
    version, out, cpp = sys.argv[1], Path(sys.argv[2]), sys.argv[3:] or ["cc", "-E"]
    pages, nodes = {}, since()
    header = HEADER.read_text()
    shared = threads(header)
    for part, items in parse(header).items():
        text, functions = page_of(part, items, version, nodes, shared)
        pages["nnaccel_%s.3" % part] = text
        for name in functions:
            pages[name + ".3"] = ".so man3/nnaccel_%s.3\n" % part
    for path in sorted((TOP / "man").glob("*.[0-9]")):
        pages[path.name] = path.read_text().replace("@VERSION@", version)
    pages["nnactl.1"] = nnactl(pages["nnactl.1"])
    pages["nnaccel-operations.7"] = operations(pages["nnaccel-operations.7"], cpp)
    for error in errors:
        print("man/generate.py: " + error, file=sys.stderr)
    if errors:
        sys.exit(1)
    out.mkdir(parents=True, exist_ok=True)
    for stale in out.glob("*.[0-9]"):
        if stale.name not in pages:
            stale.unlink()
    for name, text in pages.items():
        (out / name).write_text(text)
    (out / "list").write_text("".join(name + "\n" for name in sorted(pages)))


if __name__ == "__main__":
    main()
