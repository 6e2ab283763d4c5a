"""What is measured: each case with its contenders, and how their results are checked."""
import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, field

from harness.site import COLLECTIONS, PAGE_SIZE

JOBS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "jobs")


@dataclass
class Case:
    name: str
    job: str
    collection: str = "users"
    other: str = ""  # the script to compare with
    target: float = 0  # how many times faster, in wall time
    result: str = "out.jsonl"
    form: str = ""  # how the two results are compared
    check: list = field(default_factory=list)  # arguments of check.py before the number of documents

    @property
    def documents(self):
        return COLLECTIONS[self.collection]


CASES = [
    Case("typed", "typed.yaml", other="httpx_loop.py", target=8, form="typed", check=["jsonl", "out.jsonl"]),
    Case("job", "job.yaml", other="httpx_job.py", target=5, form="plain"),
    Case("sqlite-replace", "sqlite-replace.yaml", other="httpx_sqlite.py", result="out.db",
         check=["sqlite", "out.db::users"]),
    Case("sqlite-in-place", "sqlite-in-place.yaml", other="httpx_sqlite.py", result="out.db",
         check=["sqlite", "out.db::users"]),
    Case("million", "typed.yaml", collection="users10"),
]


class Contender:
    """A program that does a case's work in a folder of its own."""

    def __init__(self, name, command, environment=None, job=None):
        self.name = name
        self.command = command
        self.environment = environment or {}
        self.job = job


def sluice(name, binary, case, site):
    environment = {"BENCH_ENDPOINT": site.endpoint, "BENCH_COLLECTION": case.collection}
    return Contender(name, [binary, "run"], environment, os.path.join(JOBS, case.job))


def other(case, site):
    script = os.path.join(site.bench, case.other)
    url = site.url(case.collection)
    arguments = {
        "httpx_loop.py": ["orjson", url, case.result, str(PAGE_SIZE)],
        "httpx_job.py": [url, case.result, str(PAGE_SIZE)],
        "httpx_sqlite.py": [url, case.result, str(PAGE_SIZE)],
    }[case.other]
    return Contender(case.other, [site.python, script, *arguments])


class Checker:
    """Checks each result: the first of each contender in full, the others by being the same bytes."""

    def __init__(self, case, site):
        self.case = case
        self.site = site
        self.digests = {}

    def first(self, folders):
        """`folders` are those of the first runs, by contender, sluice's first. Answers what was found."""
        (name, ours), *others = folders.items()
        lines = []
        for other_name, folder in others:
            if self.case.form:
                lines.append(f"{name} and {other_name}: {self.compare(ours, folder)}")
        if self.case.check:
            lines.append(f"{name}: {self.check(ours)}")
        return lines

    def compare(self, ours, theirs):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "comparing.py")
        form = self.case.form
        paths = [os.path.join(folder, self.case.result) for folder in (ours, theirs)]
        answer = subprocess.run(
            [self.site.python, script, form, *paths, str(self.case.documents)], capture_output=True, text=True)
        if answer.returncode != 0:
            raise SystemExit(f"run: the results differ: {answer.stdout}{answer.stderr}")
        return answer.stdout.strip()

    def check(self, folder):
        script = os.path.join(self.site.bench, "check.py")
        answer = subprocess.run(
            [self.site.python, script, *self.case.check, str(self.case.documents)], cwd=folder, capture_output=True,
            text=True, check=True)
        found = json.loads(answer.stdout)
        faults = [name for name in ("missing", "dup", "bad") if found[name] != 0]
        for name in ("unicode", "int64", "ns_ts", "ns_meta", "nullkey"):
            right, all_of_them = found[name].split("/")
            if right != all_of_them:
                faults.append(name)
        if found["rows"] != self.case.documents or found["naninf"] != [True]:
            faults.append("rows or NaN")
        if faults:
            raise SystemExit(f"run: check.py finds faults in {', '.join(faults)}: {answer.stdout}")
        return f"check.py: {found['rows']} rows, everything right"

    def same(self, contender, folder):
        """Where the result is a file that is the same each time: whether it is."""
        if not self.case.result.endswith(".jsonl"):
            return
        digest = hashlib.sha256()
        with open(os.path.join(folder, self.case.result), "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        if self.digests.setdefault(contender, digest.digest()) != digest.digest():
            raise SystemExit(f"run: {contender} wrote another result than before, in {folder}")
