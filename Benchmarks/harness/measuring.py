"""One run of one contender: wall, CPU and memory of its whole process tree."""
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system, of the process and of all it waited for
    peak: float  # megabytes resident
    status: int


def resident(root):
    """Bytes resident in a process and all below it."""
    children, sizes = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        rest = text[text.rindex(")") + 2:].split()
        children.setdefault(int(rest[1]), []).append(int(name))
        sizes[int(name)] = int(rest[21]) * PAGE
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        total += sizes.get(pid, 0)
        waiting += children.get(pid, [])
    return total


class Sampler(threading.Thread):
    """Looks at the tree's memory every 20 ms. What a single process peaked at, the kernel tells exactly."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid = pid
        self.peak = 0
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(0.02):
            self.peak = max(self.peak, resident(self.pid))


def run(command, folder, environment, log, sampling=False, timeout=1800):
    """Runs a command in a folder. Its output goes to `log`. Sampling the tree takes part of a core, and so time from a
    program that uses them all: a run is either sampled or timed."""
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        start_new_session=True)
    sampler = Sampler(process.pid)
    if sampling:
        sampler.start()
    guard = threading.Timer(timeout, os.killpg, (process.pid, signal.SIGKILL))
    guard.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        guard.cancel()
        sampler.over.set()
        if sampling:
            sampler.join()
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = max(usage.ru_maxrss * 1024, sampler.peak)
    return Run(wall, usage.ru_utime + usage.ru_stime, peak / 1e6, process.returncode)
