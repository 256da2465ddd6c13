#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""guest.py ROOT.TAR SEED HOURS KINDS MODEL.INPUT...: the part of a soak that runs in the guest.

It unpacks ROOT.TAR, which tests/soak/run has made, into memory and stays there: 9p, which shows the guest the
host's files, does not survive a suspend of the system. Not even a file may be forgotten after that, so what the
kernel remembers of them is dropped before. For the same reason it tells what happens through the kernel's log,
whose lines reach the host by the console and do not mix:

    soak: {"sample": ...}    counts and memory, every few seconds; "quiet": between two actions
    soak: {"action": ...}    an action is over, and whether all has gone well; "text": which kind of it
    soak: {"ask": [...]}     what vm/hotplug shall do; the guest sees it done by the device that comes
    soak: {"failed": ...}    a failure, by a text
    soak: {"end": ...}       last: counts

Four bystanders compute all the time: a client of the first device and one of a device that is plugged in and
taken away (soak_client), nnv_run on either of them, nnv_hal through the HAL's service. Beside them actions are
drawn by SEED, each kind once before any kind comes again, except that the service is killed four times at most.
After each action every bystander has to give right results again; the soak waits for that event without a limit of
its own. An action says whom it may cost errors; an error of anybody else is a failure, and so is every wrong
result. KINDS is "all", or kinds with commas between.
"""

import codecs
import ctypes
import encodings.ascii  # noqa: F401 (later it could not be read)
import encodings.utf_8  # noqa: F401
import json
import os
import random
import re
import selectors
import signal
import subprocess
import sys
import tarfile
import termios
import time

LIBC = ctypes.CDLL(None, use_errno=True)
ROOT = "/run/soak"
CONTROL = "/dev/ttyS1"
PORTS = 8  # of vm/hotplug
SAMPLE_S = 10
HANG_S = 300
FAILURES_MAX = 200  # a device that is lost for good fails all that comes
GROUP = "/sys/fs/cgroup/soak"
MODES = ("sync", "async", "fenced", "burst", "device-memory", "shared-memory")
HAL_MODES = ("sync", "async", "fenced", "burst", "shared-memory")
FAULTS = ("hang 1", "stuck 1", "drop-irq 1", "drop-irq 3", "spurious-irq 3", "corrupt 1", "slow 1000000")
# Of nnv_run's messages these are about results; the others are about errors.
WRONG = re.compile(r": output \d+( \(|:)")


def libc(name, *arguments):
    if getattr(LIBC, name)(*arguments) < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def write(path, text):
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def read(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 1 << 16).decode(errors="replace")
    finally:
        os.close(fd)


def tell(**what):
    """A line in the kernel's log, which holds about 900 characters of it."""
    write("/dev/kmsg", "<6>soak: " + json.dumps(what, separators=(",", ":"))[:900])


def drop_caches():
    for _ in range(3):  # a folder is forgotten after what is in it
        write("/proc/sys/vm/drop_caches", "3")


def enter(tar):
    """The whole of what is needed, in memory; from here on no file of the host is touched."""
    os.makedirs(ROOT, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60%", "tmpfs", ROOT], check=True)
    with tarfile.open(tar) as archive:
        archive.extractall(ROOT)
    subprocess.run(["modprobe", "binder_linux", "devices=binder,hwbinder,vndbinder"], check=True)
    for name in ("dev", "proc", "sys"):
        os.makedirs(f"{ROOT}/{name}", exist_ok=True)
        subprocess.run(["mount", "--rbind", f"/{name}", f"{ROOT}/{name}"], check=True)
    os.makedirs(f"{ROOT}/tmp", exist_ok=True)
    os.chmod(f"{ROOT}/tmp", 0o1777)
    codecs.lookup("utf-8")
    codecs.lookup("ascii")
    libc("mlockall", 1)  # MCL_CURRENT: this program's own pages are files of the host
    here = os.getcwd()
    os.chroot(ROOT)
    os.chdir(here)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    drop_caches()


class Process:
    """A child whose lines of output are given to @on_line, and its end to @on_end."""

    def __init__(self, soak, name, argv, targets, on_line, on_end, setup=None):
        self.soak, self.name, self.targets, self.on_line, self.on_end = soak, name, targets, on_line, on_end
        self.disturbed = bool(soak.scope & targets)
        self.killed = False
        self.rest = b""
        self.child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, preexec_fn=setup)
        self.pid = self.child.pid
        self.out = self.child.stdout.fileno()
        os.set_blocking(self.out, False)
        soak.selector.register(self.out, selectors.EVENT_READ, self)
        soak.processes.add(self)

    def finish(self):
        """Asks it to end, as its input does."""
        if not self.child.stdin.closed:
            self.child.stdin.close()

    def kill(self):
        self.killed = True
        self.child.kill()

    def readable(self):
        try:
            data = os.read(self.out, 1 << 16)
        except BlockingIOError:
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.on_line(self, line.decode(errors="replace"))
        if data:
            return
        self.soak.selector.unregister(self.out)
        self.soak.processes.discard(self)
        self.finish()
        self.child.stdout.close()
        self.on_end(self, self.child.wait())


class Soak:
    def __init__(self, seed, hours, kinds, build, models):
        self.random = random.Random(seed)
        self.kinds = self.KINDS if kinds == "all" else kinds.split(",")
        self.build, self.models = build, models
        self.end = time.monotonic() + hours * 3600
        self.service_life = hours * 3600 / 4
        self.selector = selectors.DefaultSelector()
        self.processes = set()
        self.scope = set()
        self.action = "start"
        self.stopping = False
        self.ok = {"main": 0, "hot": 0, "cases": 0, "hal": 0}
        self.wrong = self.allowed = self.failed = 0
        self.next_sample = 0
        self.service = None
        self.service_number = 0
        self.service_since = 0
        self.serves = False
        self.bystanders = {}
        self.port = 0
        self.main = self.functions()[0]
        self.hot = None

    # ---- what is seen

    def fail(self, text):
        self.failed += 1
        if self.failed <= 50:
            tell(failed=f"{text} (during: {self.action})"[:600])
        if self.failed == FAILURES_MAX:
            raise RuntimeError(f"{FAILURES_MAX} failures")

    def is_wrong(self, text):
        self.wrong += 1
        self.fail("wrong result: " + text)

    def error(self, process, text, disturbed):
        if disturbed:
            self.allowed += 1
        else:
            self.fail(f"{process.name}: an error that nothing explains: {text}")

    def sample(self, quiet=False):
        memory = dict(re.findall(r"(\w+(?:\(\w+\))?): +(\d+)", read("/proc/meminfo")))
        kib = {name: int(value) for name, value in memory.items()}
        used = kib["MemTotal"] - kib["MemFree"] - kib["Buffers"] - kib["SReclaimable"]
        used -= kib["Cached"] - kib["Shmem"]
        hal = 0
        if self.service:
            try:
                hal = int(re.search(r"RssAnon:\s+(\d+)", read(f"/proc/{self.service.pid}/status"))[1])
            except (OSError, TypeError):
                pass
        tell(sample={"quiet": quiet, "guest": used, "slab": kib["SUnreclaim"], "hal": hal,
                     "run": self.service_number, "ok": self.ok, "wrong": self.wrong, "allowed": self.allowed,
                     "failed": self.failed, "action": self.action})

    def pump(self, until):
        """Serves all children until the condition holds, and always once."""
        while True:
            for key, _ in self.selector.select(0.2):
                key.data.readable()
            if time.monotonic() >= self.next_sample:
                self.next_sample = time.monotonic() + SAMPLE_S
                self.sample()
            if until():
                return

    # ---- devices

    def functions(self):
        """The NNAs on the bus, by address."""
        found = []
        for name in sorted(os.listdir("/sys/bus/pci/devices")):
            try:
                if read(f"/sys/bus/pci/devices/{name}/modalias").startswith("pci:v00001234d00004E41"):
                    found.append(name)
            except OSError:
                pass
        return found

    @staticmethod
    def node(function):
        """The node of a function, or None."""
        try:
            return "/dev/accel/" + os.listdir(f"/sys/bus/pci/devices/{function}/accel")[0]
        except (OSError, IndexError):
            return None

    def inject(self, line):
        """A line to the device process, past the driver."""
        fd = os.open(CONTROL, os.O_RDWR | os.O_NOCTTY)
        try:
            mode = termios.tcgetattr(fd)
            mode[0] = mode[1] = mode[3] = 0
            mode[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
            mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
            termios.tcsetattr(fd, termios.TCSANOW, mode)
            termios.tcflush(fd, termios.TCIOFLUSH)
            os.write(fd, line.encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                answer += os.read(fd, 64)
        finally:
            os.close(fd)
        if answer.strip() != b"ok":
            self.fail(f"the device process says to '{line}': {answer!r}")

    # ---- bystanders

    def start_client(self, which):
        function = self.main if which == "main" else self.hot

        def on_line(process, line):
            word, _, text = line.partition(" ")
            if word == "ok":
                self.ok[which] += 1
            elif word == "wrong":
                self.is_wrong(f"client of the {which} device: {text}")
            elif word == "error":
                self.error(process, text, process.disturbed)
            elif word == "left" and text != "0":
                self.fail(f"the library has not given back {text} bytes")
            elif word not in ("opened", "left"):
                self.fail(f"client of the {which} device: {line}")

        def on_end(process, status):
            if not process.killed and status not in (0, 1):
                self.fail(f"client of the {which} device ended with {status}")
            if self.bystanders.get(which) is process:
                del self.bystanders[which]
                if not self.stopping:
                    self.start_client(which)

        self.bystanders[which] = Process(
            self, which, [f"{self.build}/tests/soak_client", "--device", self.node(function) or "/dev/null",
                          "--models", "/soak/models", "--reference", "/soak/reference", *self.models],
            {which}, on_line, on_end)

    def stop_client(self, which):
        """Ends a client for good; one that computes comes to its end first."""
        process = self.bystanders.pop(which)
        process.finish()
        self.pump(lambda: process not in self.processes)

    def start_cases(self, which):
        if which == "cases":
            target = self.random.choice(["main", "hot"])
            mode = self.random.choice(MODES)
            node = self.node(self.main if target == "main" else self.hot)
            command = [f"{self.build}/tests/nnv_run", f"--device={node}"]
            # The NNAPI looks at all devices.
            targets = {"main", "hot"} if mode == "device-memory" else {target}
        else:
            mode = self.random.choice(HAL_MODES)
            command = [f"{self.build}/tests/nnv_hal", "--api=aidl", "--device=binder:nnaccel"]
            targets = {"main", "hal"}
        failures = []

        def on_line(process, line):
            if line.startswith("ok "):
                self.ok[which] += 1
            elif line.startswith("FAIL "):
                if WRONG.search(line) or " byte " in line and " written" in line:
                    self.is_wrong(f"{which}, {mode}: {line[5:]}")
                elif not line.endswith(" ms)"):
                    failures.append(line[5:])
            elif line.startswith("nnv_run: "):
                failures.append(line)

        def on_end(process, status):
            for text in failures[:5]:
                self.error(process, f"{mode}: {text}", process.disturbed)
            if not process.killed and status not in (0, 1, 2):
                self.fail(f"{process.name} ended with {status}: {failures[:1]}")
            if self.bystanders.get(which) is process:
                del self.bystanders[which]
                if not self.stopping:
                    self.start_cases(which)

        folder = f"/soak/cases/{self.random.randrange(8)}"
        self.bystanders[which] = Process(
            self, which, [*command, f"--{mode}", "--verbose", "--jobs=2", "--timeout=600", folder],
            targets, on_line, on_end)

    def start_service(self):
        said = []

        def on_line(process, line):
            said.append(line)
            del said[:-5]
            if " serves" in line:
                self.serves = True

        def on_end(process, status):
            if not process.killed and not self.stopping:
                self.fail(f"nnaccel-hal ended with {status}: {said}")
            elif not process.killed and status:
                self.fail(f"nnaccel-hal was asked to end and said {status}: {said}")
            self.service = None

        self.serves = False
        self.service_number += 1
        self.service_since = time.monotonic()
        self.service = Process(self, "service", [f"{self.build}/bin/nnaccel-hal", f"--device={self.node(self.main)}"],
                               set(), on_line, on_end)
        self.pump(lambda: self.serves or not self.service)

    def recover(self):
        """Until each bystander has given two right results since now."""
        before = dict(self.ok)
        self.pump(lambda: all(self.ok[name] >= before[name] + 2 for name in self.ok))

    # ---- actions; disturb() says whom one may cost errors

    def disturb(self, *targets):
        self.scope |= set(targets)
        for process in self.processes:
            process.disturbed |= bool(self.scope & process.targets)

    def settle(self):
        self.recover()
        self.scope = set()
        for which in ("main", "hot"):
            if which in self.bystanders:
                self.bystanders[which].disturbed = False

    def fault(self):
        line = self.random.choice(FAULTS)
        self.action = "fault: " + line
        self.disturb("main")
        self.inject(line)
        self.recover()
        self.inject("clear")

    def reset(self):
        self.disturb("main")
        write(f"/sys/bus/pci/devices/{self.main}/reset", "1")

    def kill_client(self):
        which = self.random.choice(sorted(self.bystanders))
        self.action = "kill: " + which
        self.bystanders[which].kill()

    def kill_service(self):
        self.disturb("hal")
        service = self.service
        service.kill()
        self.pump(lambda: self.service is not service)
        # It may wait for a callback of the dead one, as nnv_hal does not watch the service's life.
        self.bystanders["hal"].kill()
        self.start_service()

    def suspend(self):
        """Nobody may notice: jobs yield and go on."""
        write("/sys/power/pm_test", "devices")
        write("/sys/module/suspend/parameters/pm_test_delay", "1")
        try:
            write("/sys/power/state", "freeze")
        except OSError as error:
            self.fail(f"suspend: {error}")

    def unbind(self):
        self.disturb("hot")
        write("/sys/bus/pci/drivers/nna/unbind", self.hot)
        write("/sys/bus/pci/drivers/nna/bind", self.hot)
        self.anew()

    def unplug(self):
        """The function leaves the bus with its clients at work, and is found again."""
        self.disturb("hot")
        bridge = os.path.basename(os.path.dirname(os.path.realpath(f"/sys/bus/pci/devices/{self.hot}")))
        bus = f"/sys/bus/pci/devices/{bridge}/pci_bus/{self.hot[:7]}"
        write(f"/sys/bus/pci/devices/{self.hot}/remove", "1")
        write(f"{bus}/rescan", "1")
        self.pump(lambda: self.node(self.hot))
        self.anew()

    def anew(self):
        """The hot device has another node: its clients begin anew, after those of the old one have ended."""
        self.stop_client("hot")
        self.stop_cases()
        self.start_client("hot")

    def stop_cases(self):
        process = self.bystanders["cases"]
        if "hot" in process.targets:
            self.pump(lambda: process not in self.processes)

    def plug(self):
        self.port += 1
        known = set(self.functions())
        if self.port == 1:
            tell(ask=["plug 1"])
        else:
            tell(ask=[f"kill {self.port - 1}", f"plug {self.port}"])
        self.pump(lambda: set(self.functions()) - known)
        self.hot, = set(self.functions()) - known
        self.pump(lambda: self.node(self.hot))

    def replace(self):
        """The hot device's process dies, and another one is plugged in. QEMU 11.1 fails an assertion if the process
        dies under an access, so the device is asleep by then; and if the dead one is unplugged, so it stays."""
        dead = self.hot
        self.disturb("hot")
        self.stop_client("hot")
        process = self.bystanders.pop("cases")
        process.kill()
        self.pump(lambda: process not in self.processes)
        status = f"/sys/bus/pci/devices/{dead}/power/runtime_status"
        self.pump(lambda: read(status).startswith("suspended"))
        node = self.node(dead)
        self.plug()
        lines = []
        last = Process(self, "last", [f"{self.build}/tests/nnv_run", f"--device={node}", "/soak/cases/0"], {"hot"},
                       lambda process, line: lines.append(line), lambda process, status: lines.append(status))
        self.pump(lambda: last not in self.processes)
        if lines[-1] == 0:
            self.fail("a device whose process has ended computes")
        write(f"/sys/bus/pci/devices/{dead}/remove", "1")
        self.start_client("hot")
        self.start_cases("cases")

    def fuzz(self, faults):
        self.disturb("main", "hal")
        lines = []
        seed = self.random.randrange(1, 1 << 31)
        command = [f"{self.build}/tests/fuzz_ioctl", "--seed", str(seed), *["--faults"][:faults], "60"]
        process = Process(self, "fuzz", command, set(), lambda process, line: lines.append(line),
                          lambda process, status: lines.append(status))
        self.pump(lambda: process not in self.processes)
        if lines[-1]:
            self.fail(f"fuzz_ioctl, seed {seed}: " + "; ".join(line for line in lines[:-1] if "ioctl " not in line))

    def fuzz_calls(self):
        self.fuzz(False)

    def fuzz_faults(self):
        self.fuzz(True)

    def drop_caches(self):
        drop_caches()

    def compact(self):
        write("/proc/sys/vm/compact_memory", "1")

    def fill_group(self):
        """Clients in a control group that is too small, beside a program that fills it: each may fail or be killed,
        and computes nothing wrong."""
        limit = self.random.choice([16, 32, 64])
        self.action += f": {limit} MiB"
        write(f"{GROUP}/memory.max", str(limit << 20))

        def join():
            write(f"{GROUP}/cgroup.procs", str(os.getpid()))

        def on_line(process, line):
            if line.startswith("FAIL ") and WRONG.search(line):
                self.is_wrong("in a full control group: " + line[5:])

        filler = os.fork()
        if not filler:
            os.closerange(3, 1024)
            join()
            held = []
            for _ in range(2 * limit):
                held.append(bytearray(os.urandom(1 << 10) * 1024))
            time.sleep(3600)
            os._exit(0)
        inner = [Process(self, "group", [f"{self.build}/tests/nnv_run", f"--device={self.node(self.main)}",
                                         "--jobs=1", "--verbose", f"/soak/cases/{i}"], set(), on_line,
                         lambda process, status: None, join) for i in range(2)]
        self.pump(lambda: not any(process in self.processes for process in inner))
        os.kill(filler, signal.SIGKILL)
        os.waitpid(filler, 0)

    KINDS = ("fault", "fault", "reset", "kill_client", "kill_client", "kill_service", "suspend", "unbind", "unplug",
             "replace", "fuzz_calls", "fuzz_faults", "drop_caches", "compact", "fill_group")

    def run(self):
        deck = []
        while time.monotonic() < self.end:
            if not deck:
                deck = list(self.kinds)
                self.random.shuffle(deck)
            kind = deck.pop()
            if kind == "replace" and self.port == PORTS:
                continue
            # A service that soon dies does not show whether its memory grows.
            if kind == "kill_service" and time.monotonic() < self.service_since + self.service_life:
                continue
            self.action = kind.replace("_", " ")
            failed = self.failed
            tell(begin=self.action)
            getattr(self, kind)()
            self.settle()
            tell(action=kind.replace("_", " "), survived=self.failed == failed, text=self.action)
            self.action = ""
            self.sample(quiet=True)

    def begin(self):
        write("/proc/sys/kernel/printk_devkmsg", "on\n")
        os.makedirs(GROUP, exist_ok=True)
        write("/sys/fs/cgroup/cgroup.subtree_control", "+memory")
        ready = []
        self.manager = Process(self, "manager", [f"{self.build}/tests/hal/manager"], set(),
                               lambda process, line: ready.append(line), lambda process, status: None)
        self.pump(lambda: ready)
        self.start_service()
        self.plug()
        self.start_client("main")
        self.start_client("hot")
        self.start_cases("cases")
        self.start_cases("hal")
        self.settle()
        self.sample(quiet=True)

    @staticmethod
    def objects():
        """The buffer objects of all devices; the driver frees some of them after the process that had them."""
        found = []
        for device in os.listdir("/sys/kernel/debug/accel"):
            try:
                found += read(f"/sys/kernel/debug/accel/{device}/gems").splitlines()[1:]
            except OSError:
                pass
        return found

    @staticmethod
    def unload():
        """Whether the driver is gone. Core dumps hold it until they are removed."""
        for dump in os.listdir("/sys/class/devcoredump"):
            if dump.startswith("devcd"):
                write(f"/sys/class/devcoredump/{dump}/data", "1")
        try:
            libc("syscall", 176, b"nna", os.O_NONBLOCK)  # delete_module
        except OSError:
            return False
        return True

    def finish(self):
        """What everybody has left must be nothing, and the driver lets itself be unloaded."""
        self.action = "end"
        self.stopping = True
        for which in ("main", "hot"):
            self.stop_client(which)
        self.pump(lambda: self.processes <= {self.service, self.manager})
        self.service.child.terminate()
        self.pump(lambda: self.processes <= {self.manager})
        self.manager.kill()
        self.pump(lambda: not self.processes)
        end = time.monotonic() + HANG_S
        self.pump(lambda: not self.objects() or time.monotonic() > end)
        left = self.objects()
        if left:
            self.fail(f"{len(left)} buffer objects are left of nobody: {left[0]}")
        end = time.monotonic() + HANG_S
        self.pump(lambda: self.unload() or time.monotonic() > end)
        if os.path.exists("/sys/module/nna"):
            self.fail("the driver does not unload")
        tainted = int(read("/proc/sys/kernel/tainted"))
        if tainted & (1 << 7 | 1 << 9 | 1 << 14):
            self.fail(f"the kernel is tainted: {tainted}")
        self.sample()
        tell(end={"failed": self.failed, "wrong": self.wrong})


def main():
    tar, seed, hours, kinds, *models = sys.argv[1:]
    build = os.path.abspath(os.environ.get("BUILD", "build"))
    try:
        enter(tar)
        soak = Soak(int(seed), float(hours), kinds, build, models)
        soak.begin()
        soak.run()
        soak.finish()
    except BaseException as error:
        trace, texts = error.__traceback__, []
        while trace:
            texts.append(f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}")
            trace = trace.tb_next
        tell(failed=f"the soak itself: {type(error).__name__}: {error} at {' '.join(texts)}")
    time.sleep(1)  # for the console
    libc("reboot", 0x4321fedc)


main()
