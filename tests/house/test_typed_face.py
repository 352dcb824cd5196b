"""A type checker sees the public names as what they are, though nothing is loaded before its first use."""

import ast
import re
import subprocess
import sys

import glassrank
from tests.house.repository import PACKAGE, ROOT, clean_environment

CLAIMS = ROOT / "tests" / "house" / "typed_face.py"


def test_type_checkers_are_given_the_names_and_modules_of_the_lazy_table():
    module = ast.parse((PACKAGE / "__init__.py").read_text())
    (branch,) = [node for node in module.body if isinstance(node, ast.If) and node.test.id == "TYPE_CHECKING"]
    typed = [(node.module, alias.name, alias.asname) for node in branch.body for alias in node.names]
    assert sorted(typed) == sorted((f"glassrank.{home}", name, name) for name, home in glassrank._HOMES.items())
    assert typed == sorted(typed)


def test_mypy_confirms_each_claim_about_the_typed_face_and_finds_each_opposite_false(tmp_path):
    """One run for both files. mypy's usual cache is used: after ``make check`` nothing is analysed again."""
    opposite, false_lines = contradict(CLAIMS.read_text())
    (tmp_path / "opposite.py").write_text(opposite)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--no-pretty", CLAIMS, tmp_path / "opposite.py"],
        cwd=ROOT, env=clean_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = [line.split(":", 2) for line in run.stdout.splitlines() if ": error:" in line]
    assert [error for error in errors if not error[0].endswith("opposite.py")] == [], run.stdout + run.stderr
    assert {int(line) for _, line, _ in errors} == false_lines, run.stdout + run.stderr


def contradict(claims: str) -> tuple[str, set[int]]:
    """Source in which every asserted type is wrong and no error is expected, and the lines that are now false."""
    lines, false_lines = claims.splitlines(), set()
    for number, line in enumerate(lines, start=1):
        changed = re.sub(r"^(assert_type\(.*), [^,]+\)$", r"\1, complex)", line).split("  # type: ignore")[0]
        if changed != line:
            false_lines.add(number)
            lines[number - 1] = changed
    return "\n".join(lines), false_lines


def test_a_false_claim_is_made_of_each_line():
    assert contradict("assert_type(f(a, b), C)\nx = 1\ngr.y  # type: ignore[attr-defined]") == (
        "assert_type(f(a, b), complex)\nx = 1\ngr.y",
        {1, 3},
    )
