"""The server side: pages rendered beforehand, and nginx to serve them on loopback."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

COLLECTIONS = {"users01": 10_000, "users": 100_000, "users10": 1_000_000}
PAGE_SIZE = 300


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Site:
    """Data in a folder of its own, and the nginx that serves it. A context manager: leaving it stops nginx."""

    def __init__(self, shared, folder, python):
        self.bench = os.path.join(shared, "bench")
        self.folder = folder
        self.root = os.path.join(folder, "data")
        self.python = python
        self.port = free_port()

    @property
    def endpoint(self):
        return f"127.0.0.1:{self.port}"

    def url(self, collection):
        return f"http://{self.endpoint}/v1/projects/demo/databases/(default)/documents/{collection}"

    def generate(self, collection):
        """Renders a collection's pages, unless they are all there. A million documents take minutes and 1.1 GB."""
        documents = COLLECTIONS[collection]
        pages = os.path.join(self.root, "fs", collection, str(PAGE_SIZE))
        last = os.path.join(pages, f"t{(documents - 1) // PAGE_SIZE}.json")
        if os.path.exists(last):
            return
        print(f"rendering {documents:,} documents", file=sys.stderr)
        subprocess.run(
            [self.python, os.path.join(self.bench, "gen.py"), self.root, "--docs", str(documents), "--name", collection,
             "--sizes", str(PAGE_SIZE), "--variants", "fs"],
            check=True, stdout=subprocess.DEVNULL)

    def __enter__(self):
        nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
        if nginx is None:
            sys.exit("run: nginx is not installed")
        os.makedirs(self.root, exist_ok=True)
        # nginx's workers are another user.
        for folder in (self.folder, self.root):
            os.chmod(folder, 0o755)
        configuration = os.path.join(self.folder, "nginx.conf")
        with open(configuration, "wb") as file:
            subprocess.run(
                [self.python, os.path.join(self.bench, "mkconf.py"), self.root, str(self.port),
                 os.path.join(self.folder, "linkmap.conf")],
                check=True, stdout=file)
        subprocess.run([nginx, "-e", os.path.join(self.folder, "nginx.log"), "-c", configuration], check=True)
        with open(os.path.join(self.root, "nginx.pid"), encoding="ascii") as file:
            self.pid = int(file.read())
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        deadline = time.monotonic() + 10
        while os.path.exists(f"/proc/{self.pid}") and time.monotonic() < deadline:
            time.sleep(0.05)
