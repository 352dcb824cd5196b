"""Fetch, check, start and stop the engines of the tests: ``python -m tools.engines start solr``."""

import argparse
import sys

from tools.engines import jars, node
from tools.engines.catalogue import ENGINES, Engine


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.engines", description=__doc__)
    parser.add_argument("action", choices=ACTIONS, help="; ".join(f"{n}: {a.__doc__}" for n, a in ACTIONS.items()))
    parser.add_argument("engine", nargs="*", help=f"Default: all of {', '.join(ENGINES)}.")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.engine) - set(ENGINES))
    if unknown:
        parser.error(f"unknown engine {unknown[0]!r}: the engines are {', '.join(ENGINES)}")
    try:
        for name in options.engine or ENGINES:
            print(f"{name}: {ACTIONS[options.action](ENGINES[name])}")
    except jars.EngineError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def fetch(engine: Engine) -> str:
    """fetch the jars that are not in the cache"""
    return str(jars.fetch(engine))


def check(engine: Engine) -> str:
    """fetch the jars; start and stop a server once"""
    folder = jars.fetch(engine)
    fetched = f"{len(list(folder.glob('*.jar')))} jars"
    if not engine.server:
        return fetched
    with node.running(engine) as started:
        return f"{fetched}, answered at {started.url}"


def lock(engine: Engine) -> str:
    """record the checksums of the jars after a change of the POM"""
    return f"{jars.lock(engine)} checksums in {engine.checksums}"


def start(engine: Engine) -> str:
    """start a server in the background"""
    if not engine.server:
        return "is not a server"
    started = node.start(engine)
    return f"{started.url} (process {started.pid}, log {started.folder}/log.txt)"


def stop(engine: Engine) -> str:
    """stop the server that was started"""
    stopped = node.stop(engine)
    return "not running" if stopped is None else f"stopped process {stopped.pid}"


def status(engine: Engine) -> str:
    """say whether the server is running"""
    found = node.recorded(engine)
    return "not running" if found is None else f"{found.url} (process {found.pid})"


ACTIONS = {action.__name__: action for action in (fetch, check, lock, start, stop, status)}

if __name__ == "__main__":
    sys.exit(main())
