"""A type checker sees the types of the public names, although they are loaded lazily."""

import ast
import re
import subprocess
import sys
import tomllib

import glassrank
from tests.house.repository import PACKAGE, ROOT, clean_environment, syntax_tree

CLAIMS = ROOT / "tests" / "house" / "typed_face.py"


def test_type_checkers_are_given_the_names_and_modules_of_the_lazy_table():
    module = ast.parse((PACKAGE / "__init__.py").read_text())
    (branch,) = [node for node in module.body if isinstance(node, ast.If) and node.test.id == "TYPE_CHECKING"]
    typed = [(node.module, alias.name, alias.asname) for node in branch.body for alias in node.names]
    assert sorted(typed) == sorted((f"glassrank.{home}", name, name) for name, home in glassrank._HOMES.items())
    assert typed == sorted(typed)


def test_every_argument_of_a_public_function_or_method_has_a_type_with_a_name():
    """``Any`` is not informative: such types have an alias in ``core.input_types``."""
    nameless = [
        f"{name}.{function.name}({argument.arg})"
        for name in glassrank._HOMES
        for function in public_functions(name)
        for argument in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        if argument.annotation and ast.unparse(argument.annotation) in {"Any", "Any | None"}
    ]
    assert nameless == []


def public_functions(name: str) -> list[ast.FunctionDef]:
    """Return the function of that name, or the public methods of the class."""
    tree = syntax_tree((PACKAGE / (glassrank._HOMES[name].replace(".", "/") + ".py")).read_text())
    (node,) = [node for node in tree.body if getattr(node, "name", None) == name]
    inner = [node] if isinstance(node, ast.FunctionDef) else node.body
    return [n for n in inner if isinstance(n, ast.FunctionDef) and (n.name == "__init__" or not n.name.startswith("_"))]


def test_mypy_is_strict_except_where_untyped_libraries_are_used():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    (strictest,) = settings["overrides"]
    relaxed = {flag for flag, value in settings.items() if value is False}
    assert settings["strict"]
    assert {flag for flag, value in strictest.items() if value is True} == relaxed
    assert {"glassrank.core.*", "glassrank.metrics.*", "glassrank.drawing.*"} <= set(strictest["module"])


def test_mypy_confirms_each_claim_about_the_typed_face_and_finds_each_opposite_false(tmp_path):
    """Both files are checked in one run, with mypy's usual cache, so little is analysed again after ``make check``."""
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
    """Return source in which every asserted type is wrong and no error is expected, and the lines now false."""
    lines, false_lines = claims.splitlines(), set()
    for number, line in enumerate(lines, start=1):
        changed = re.sub(r"^(assert_type\(.*), [^,]+\)$", r"\1, complex)", line).split("  # type: ignore")[0]
        if changed != line:
            false_lines.add(number)
            lines[number - 1] = changed
    return "\n".join(lines), false_lines


def test_every_claim_is_contradicted():
    assert contradict("assert_type(f(a, b), C)\nx = 1\ngr.y  # type: ignore[attr-defined]") == (
        "assert_type(f(a, b), complex)\nx = 1\ngr.y",
        {1, 3},
    )
