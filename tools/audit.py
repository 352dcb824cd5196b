"""Check the pinned versions against the database of known vulnerabilities, by pip-audit.

python tools/audit.py PIP_AUDIT requirements/run.txt requirements/dev.txt

pip-audit reports no vulnerabilities for packages that it could not look up. Here they are counted, and the exit code
is 0 only when every package was checked: 1 means vulnerabilities, 2 that something was not checked.
"""

import json
import subprocess
import sys
from typing import Any

UNREACHABLE = "The database of known vulnerabilities cannot be reached from here: nothing was checked."


def main(pip_audit: str, *requirements: str) -> int:
    command = [pip_audit, "--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    for path in requirements:
        command += ["-r", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text, code = summary(done.stdout, done.stderr)
    print(text)
    return code


def summary(report: str, errors: str = "") -> tuple[str, int]:
    """Return what pip-audit's JSON report means, and the exit code."""
    try:
        packages = json.loads(report)["dependencies"]
    except ValueError:
        # pip-audit ends with a traceback when it finds no connection.
        reason = (errors.strip().splitlines() or ["no report"])[-1]
        return (UNREACHABLE if "onnection" in errors else f"pip-audit failed: {reason}"), 2
    unchecked = [package["name"] for package in packages if "skip_reason" in package]
    if len(unchecked) == len(packages):
        return UNREACHABLE, 2
    found = [line for package in packages for line in _vulnerabilities(package)]
    lines = [*found, f"{len(packages) - len(unchecked)} packages checked, {len(found)} known vulnerabilities."]
    if unchecked:
        lines.append(f"Not in the database, so not checked: {', '.join(unchecked)}.")
    return "\n".join(lines), 1 if found else 2 if unchecked else 0


def _vulnerabilities(package: dict[str, Any]) -> list[str]:
    return [
        f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for vulnerability in package.get("vulns", [])
    ]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
