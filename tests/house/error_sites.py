"""Find where the package raises errors, their texts and the settings they name, from the source."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.house.repository import PACKAGE, syntax_tree

ERRORS = ("DataError", "NoLinksError", "NoMatchError", "NoPagesError", "PrecisionOutOfReachError", "refuse")
# A word directly before an equals sign, as in strict=False; formulas have spaces around it.
ARGUMENT = re.compile(r"(?<![\w.])[A-Za-z_]\w*=(?!=)")


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield every module of the package with its path."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield str(path.relative_to(PACKAGE)), syntax_tree(path.read_text())


def texts_of_errors(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string in calls that create errors, including constants of the module, except in
    ``setting``."""
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in calls(module, ERRORS):
        for name in (node.id for node in ast.walk(call) if isinstance(node, ast.Name)):
            if name in constants:
                yield from _strings(constants[name])
        yield from _strings(call)


def calls(tree: ast.AST, names: tuple[str, ...]) -> Iterator[ast.Call]:
    """Yield the calls of functions or classes with these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "setting":
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.lineno, tree.value
    for child in ast.iter_child_nodes(tree):
        yield from _strings(child)


@cache
def settings() -> list[tuple[str, str | None]]:
    """Return the module and the key of every named setting; None if the name is not a literal."""
    found: list[tuple[str, str | None]] = []
    for path, module in modules():
        for call in calls(module, ("setting",)):
            name, *values = call.args
            if not isinstance(name, ast.Constant):
                found.append((path, None))
                continue
            try:
                shown = [ast.literal_eval(value) for value in values]
            except ValueError:  # the value of a variable
                shown = [...]
            key = f"{name.value}={shown[0]!r}" if shown else name.value
            found.append((path, key.replace("Ellipsis", "...")))
    return found
