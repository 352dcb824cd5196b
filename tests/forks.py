"""Separate processes that start in milliseconds: they are forked from one that has already imported what they need."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.house.repository import clean_environment

Run = Callable[..., subprocess.CompletedProcess]

SERVER = """
import json, os, selectors, signal, sys, traceback

def become_child(source, arguments, folder, outputs):
    signal.alarm(300)  # ends a child that hangs, however busy the machine is
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, output in enumerate(outputs, start=1):
        os.dup2(output, number)
        os.close(output)
    sys.argv = ["-c", *arguments]
    code = 0
    try:
        exec(source, {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

def read_all(inputs):
    found = {one: b"" for one in inputs}
    with selectors.DefaultSelector() as waiting:
        for one in inputs:
            waiting.register(one, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select():
                read = os.read(key.fd, 1 << 16)
                found[key.fd] += read
                if not read:
                    waiting.unregister(key.fd)
                    os.close(key.fd)
    return [found[one].decode() for one in inputs]

exec(sys.argv[1])
for line in iter(sys.stdin.readline, ""):
    pipes = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        become_child(*json.loads(line), [writing for _, writing in pipes])
    for _, writing in pipes:
        os.close(writing)
    said = read_all([reading for reading, _ in pipes])
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, *said]), flush=True)
"""


@contextmanager
def forks(imports: str) -> Iterator[Run]:
    """Yield a function that runs source as a program: ``run(source, *arguments, folder=".")``.

    The result is that of ``subprocess.run``. Libraries that start threads must not be among the imports.
    """
    command = [sys.executable, "-c", SERVER, imports]
    environment = clean_environment(OPENBLAS_NUM_THREADS="1")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as server:

        def run(source: str, *arguments: object, folder: Path | str = ".") -> subprocess.CompletedProcess:
            print(json.dumps([source, list(map(str, arguments)), str(folder)]), file=server.stdin, flush=True)
            return subprocess.CompletedProcess(source, *json.loads(server.stdout.readline()))

        yield run
        server.stdin.close()
