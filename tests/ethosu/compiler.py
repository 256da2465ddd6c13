# SPDX-License-Identifier: MIT
"""
Vela in a process of its own, which compiles each model in a fork: a model that ends or hangs the
compiler ends no test, and the compiler is imported once.

Called by another Python, this file is the process: a line of JSON asks for a model, a line answers.
"""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

SECONDS = 300  # of CPU time; no model of the tests takes a tenth


class Refused(Exception):
    """Vela makes no stream of the whole model. @cpu: the operators that it leaves to the CPU."""

    def __init__(self, said):
        self.cpu = re.findall(r"passthrough/CPU operations \(found ([^)]+)\)", said)
        lines = [line for line in said.strip().splitlines() if line.strip()] or ["no message"]
        super().__init__("left to the CPU: " + self.cpu[0] if self.cpu else lines[-1].strip())


class Compiler:
    """The process. @python: Vela's interpreter (tests/ethosu/setup prints it)."""

    def __init__(self, python):
        self.process = subprocess.Popen([python, __file__], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE)

    def compile(self, model, config, folder, memory="Shared_Sram", options=(), form="raw"):
        """Return: path of the output, raw or of the form tflite, in which operators may be left to
        the CPU. Raises Refused."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        output = folder / (Path(model).stem + "_vela" + {"raw": ".npz", "tflite": ".tflite"}[form])
        output.unlink(missing_ok=True)
        log = folder / "vela.log"
        arguments = [str(model), "--accelerator-config", config, "--memory-mode", memory,
                     "--output-format", form, "--output-dir", str(folder), *options]
        json.dump({"arguments": arguments, "log": str(log)}, self.process.stdin)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("Vela's process has ended")
        if json.loads(answer) or not output.exists():
            raise Refused(log.read_text(errors="replace"))
        return output

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def child(vela, asked):
    """Compile in this process, and end it."""
    import resource

    status = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        status = vela.main(asked["arguments"]) or 0
    except SystemExit as end:
        status = 1 if end.code else 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main():
    from ethosu.vela import vela

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal; the pipe's end ends it
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            child(vela, json.loads(line))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
