"""Start an engine as a process of its own, wait until it answers, and stop it by its process id."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.engines.catalogue import Engine
from tools.engines.jars import EngineError, cache_folder, fetch

START_SECONDS = 120
# The engines run for seconds: the optimising compiler and parallel garbage collection would cost more than they save.
QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


@dataclass(frozen=True)
class Node:
    """A running engine: its address, process id, and the folder with its data and its log."""

    engine: str
    url: str
    pid: int
    folder: str


def java_command(engine: Engine, *arguments: str, **properties: object) -> list[str]:
    """Return the command that runs the engine's program on the jars of its POM."""
    defined = [f"-D{name.replace('_', '.')}={value}" for name, value in properties.items()]
    options = [f"-Xmx{engine.memory}", *QUICK_START, "-Djava.awt.headless=true", "-cp", f"{fetch(engine)}/*", *defined]
    return ["java", *options, str(engine.folder / engine.program), *arguments]


def run(engine: Engine, text: str, *arguments: str) -> str:
    """Run a program that is no server with ``text`` as its input, and return its output."""
    done = subprocess.run(
        java_command(engine, *arguments), env=_environment(), input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise EngineError(f"{engine.name} ended with exit code {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


@contextmanager
def running(engine: Engine) -> Iterator[Node]:
    """Start a server for a ``with`` block. It also ends when this process ends, however that happens."""
    folder = Path(tempfile.mkdtemp(prefix=f"glassrank-{engine.name}-"))
    process = _launch(engine, folder, attached=True)
    try:
        yield Node(engine.name, _wait(process, folder), process.pid, str(folder))
    finally:
        process.stdin.close()  # the program ends when its input ends
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def start(engine: Engine) -> Node:
    """Start a server that outlives this process, and record it for `stop`."""
    existing = recorded(engine)
    if existing:
        raise EngineError(f"{engine.name} is running already at {existing.url} (process {existing.pid}).")
    folder = cache_folder() / "running" / engine.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    process = _launch(engine, folder, attached=False)
    node = Node(engine.name, _wait(process, folder), process.pid, str(folder))
    (folder / "node.json").write_text(json.dumps(asdict(node)))
    return node


def recorded(engine: Engine) -> Node | None:
    """Return the server that `start` recorded if its process still runs, or None."""
    try:
        node = Node(**json.loads((cache_folder() / "running" / engine.name / "node.json").read_text()))
        command = Path(f"/proc/{node.pid}/cmdline")
        if command.parent.parent.is_dir() and engine.program.encode() not in command.read_bytes():
            return None  # the process id belongs to another program now
        os.kill(node.pid, 0)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return node


def stop(engine: Engine) -> Node | None:
    """Stop the server that `start` recorded, delete its data, and return what it was, or None if there is none."""
    node = recorded(engine)
    if node is None:
        return None
    os.kill(node.pid, signal.SIGTERM)
    for _ in range(300):
        if recorded(engine) is None:
            break
        time.sleep(0.1)
    else:
        os.kill(node.pid, signal.SIGKILL)
    shutil.rmtree(node.folder, ignore_errors=True)
    return node


def _launch(engine: Engine, folder: Path, *, attached: bool) -> "subprocess.Popen[bytes]":
    if (engine.folder / "home").is_dir():
        shutil.copytree(engine.folder / "home", folder / "home")
    command = java_command(engine, home=folder / "home", attached=str(attached).lower())
    with (folder / "log.txt").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE if attached else subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait(process: "subprocess.Popen[bytes]", folder: Path) -> str:
    """Return the address that the server prints when it is ready."""
    deadline = time.monotonic() + START_SECONDS
    log = folder / "log.txt"
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(r"^listening on (\S+)$", log.read_text(errors="replace"), re.M)
        if found:
            return found[1]
        time.sleep(0.1)
    process.kill()
    process.wait()
    raise EngineError(f"The engine did not start within {START_SECONDS} s:\n{log.read_text(errors='replace')[-2000:]}")


def _environment() -> dict[str, str]:
    # Options for every Java process of this machine would change memory and output of the engine.
    return {name: value for name, value in os.environ.items() if name not in {"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"}}
