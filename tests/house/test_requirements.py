"""What pyproject.toml allows, and what the requirements pin, belong together."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.house.repository import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DIRECT = [Requirement(text) for text in PROJECT["dependencies"]]
# Their results or errors show in those of glassrank; of the others it uses only data or what is printed.
UNBOUNDED = {"publicsuffixlist", "rich"}


def pins(name: str) -> dict[str, list[str]]:
    """Pinned versions by package: several where they depend on Python's version."""
    found: dict[str, list[str]] = {}
    for package, version in re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements" / name).read_text(), re.M):
        found.setdefault(package, []).append(version)
    return found


@pytest.mark.parametrize("requirement", DIRECT, ids=lambda requirement: requirement.name)
def test_a_dependency_is_asked_for_by_name_and_pinned_within_its_bounds(requirement):
    asked = re.findall(r"^[\w.-]+", (ROOT / "requirements" / "run.in").read_text(), re.M)
    assert requirement.name in asked
    assert all(requirement.specifier.contains(version) for version in pins("run.txt")[requirement.name])


def test_dependencies_whose_behaviour_shows_have_upper_bounds():
    open_ended = {one.name for one in DIRECT if not any(part.operator == "<" for part in one.specifier)}
    assert open_ended == UNBOUNDED


def test_one_version_of_a_package_serves_users_and_tests():
    run, dev = pins("run.txt"), pins("dev.txt")
    assert {name: dev[name] for name in run.keys() & dev.keys()} == {
        name: run[name] for name in run.keys() & dev.keys()
    }
