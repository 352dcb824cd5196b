"""Fetch the jars of an engine with Maven into a cache folder, and check them against the recorded checksums."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tools.engines.catalogue import Engine

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"


class EngineError(RuntimeError):
    """An engine cannot be fetched or started; the message says why and what to do."""


def absent_tool() -> str | None:
    """Return what this machine lacks to fetch and run engines, or None."""
    for tool, package in (("java", "openjdk-17-jdk-headless"), ("javac", "openjdk-17-jdk-headless"), ("mvn", "maven")):
        if shutil.which(tool) is None:
            return f"there is no {tool}: on Debian, apt-get install {package}"
    return None


def cache_folder() -> Path:
    """Return the folder of fetched engines: ``GLASSRANK_ENGINES``, or one in the user's cache."""
    return Path(os.environ.get("GLASSRANK_ENGINES") or Path.home() / ".cache" / "glassrank-engines")


def jar_folder(engine: Engine) -> Path:
    """Return the folder of an engine's jars; its name changes with the POM and the checksums."""
    content = engine.pom.read_bytes() + (engine.checksums.read_bytes() if engine.checksums.exists() else b"")
    return cache_folder() / f"{engine.name}-{hashlib.sha256(content).hexdigest()[:12]}"


def fetch(engine: Engine) -> Path:
    """Return the folder with the engine's jars; fetch and check them first if they are not there."""
    target = jar_folder(engine)
    if target.is_dir():
        return target
    lacking = absent_tool()
    if lacking:
        raise EngineError(lacking)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as unfinished:
        jars = Path(unfinished) / "jars"
        _copy_dependencies(engine, jars)
        _check(engine, jars)
        try:
            jars.rename(target)
        except OSError:  # another process was faster
            if not target.is_dir():
                raise
    return target


def lock(engine: Engine) -> int:
    """Record the checksums of the jars that the POM resolves to, and return their number."""
    with tempfile.TemporaryDirectory() as folder:
        jars = Path(folder) / "jars"
        _copy_dependencies(engine, jars)
        found = checksums(jars)
    engine.checksums.write_text("".join(f"{value}  {name}\n" for name, value in found.items()))
    return len(found)


def checksums(jars: Path) -> dict[str, str]:
    """Return file name -> SHA-256 of every jar in a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(jars.glob("*.jar"))}


def _copy_dependencies(engine: Engine, jars: Path) -> None:
    # A copy of the POM: Maven writes next to it.
    work = jars.parent / "pom"
    work.mkdir()
    shutil.copy(engine.pom, work)
    command = ["mvn", "-q", "-B", COPY, "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = "\n".join((done.stdout + done.stderr).strip().splitlines()[:5])
        raise EngineError(f"Maven could not fetch {engine.name}:\n{reason}")


def _check(engine: Engine, jars: Path) -> None:
    recorded = dict(reversed(line.split()) for line in engine.checksums.read_text().splitlines())
    found = checksums(jars)
    wrong = sorted(name for name in recorded | found if recorded.get(name) != found.get(name))
    if wrong:
        shown = ", ".join(wrong[:5]) + (" …" if len(wrong) > 5 else "")
        raise EngineError(
            f"The jars of {engine.name} are not the recorded ones: {len(wrong)} differ ({shown}). "
            f"If you changed its POM, run python -m tools.engines lock {engine.name}."
        )
