"""Find imports in the wrong direction, in source text."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from tests.house.repository import syntax_nodes

# A folder may import itself and the folders in earlier rows of this list, but not others in its own row.
ROWS = (
    ("kernels",),
    ("core",),
    ("files",),
    ("drawing",),
    ("data", "metrics", "text"),
    ("simulation", "scale"),
    ("ranking", "distillation"),
    ("nomograms",),
    ("selection",),
    ("navigational",),
    ("modelfile", "export"),
    ("studies",),
    ("app",),
    ("cli",),
)
ROW_OF = {folder: number for number, row in enumerate(ROWS) for folder in row}

NOT_IN_CORE = {"sklearn", "pathlib", "io", "shutil", "tempfile", "logging", "rich", "click", "duckdb"}
CALLS_NOT_IN_CORE = {"print", "open", "input"}
ATTRIBUTES_NOT_IN_CORE = {
    *("read_text", "read_bytes", "write_text", "write_bytes"),
    *("tofile", "fromfile", "loadtxt", "savetxt", "stdout", "stderr"),
}

# Not the name of a file.
_MODULE_IN_STRING = re.compile(r"(glassrank(?!\.json$)(?:\.\w+)+)\.?(?::\w+)?")


def layer_faults(source: str, package: str, homes: Mapping[str, str]) -> list[str]:
    """Report the imports of a file in ``package`` that point upwards or sideways; ``homes`` resolves public names."""
    own = _folder(package)
    faults = []
    for line, module in imported_modules(source, package, homes):
        target = _folder(module)
        if target is None:
            faults.append(
                f"line {line}: {module} does not show which folder it uses; import from the module that defines it"
            )
        elif target not in ROW_OF:
            faults.append(f"line {line}: {module} is in no row of the layers")
        elif target != own and ROW_OF[target] == ROW_OF[own]:
            faults.append(f"line {line}: {own} imports {module}, its neighbour in the same row")
        elif ROW_OF[target] > ROW_OF[own]:
            faults.append(f"line {line}: {own} imports {module}, which is a higher layer")
    return faults


def core_faults(source: str) -> list[str]:
    """Report where a file of ``core`` uses scikit-learn, files or the screen."""
    faults = []
    for node in syntax_nodes(source):
        match node:
            case ast.Import() | ast.ImportFrom():
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                faults += [f"line {node.lineno}: imports {n}" for n in names if n.split(".")[0] in NOT_IN_CORE]
            case ast.Constant(value=str() as text) if re.fullmatch(r"sklearn(\.\w+)*", text):
                faults.append(f"line {node.lineno}: names the module {text}")
            case ast.Call(func=ast.Name(id=name)) if name in CALLS_NOT_IN_CORE:
                faults.append(f"line {node.lineno}: calls {name}()")
            case ast.Attribute(attr=name) if name in ATTRIBUTES_NOT_IN_CORE:
                faults.append(f"line {node.lineno}: uses .{name}")
    return faults


def inner_faults(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Report circular imports between modules, and between the parts of a folder.

    ``imports`` maps each module to the modules it imports. Inside a folder, every sub-folder and every direct module is
    one node. Nodes must not form a circle, and a module that a sub-folder imports must not import a sub-folder.
    """
    faults = [f"circle of modules: {' → '.join(circle)}" for circle in _circles(imports)]
    for folder, nodes in _nodes_by_folder(imports).items():
        faults += [f"circle inside {folder}: {' → '.join(circle)}" for circle in _circles(nodes)]
        inner = {node for node in nodes if any(module.startswith(f"{node}.") for module in imports)}
        shared = {target for node in inner for target in nodes[node]} - inner
        faults += [
            f"{module} is shared by sub-folders of {folder} and imports {target}"
            for module in sorted(shared)
            for target in sorted(nodes[module] & inner)
        ]
    return faults


def _nodes_by_folder(imports: Mapping[str, Iterable[str]]) -> dict[str, dict[str, set[str]]]:
    """For each folder: the imports between its sub-folders and modules."""
    folders: dict[str, dict[str, set[str]]] = {}
    for module, targets in imports.items():
        for target in targets:
            own, other = module.split("."), target.split(".")
            depth = next((n for n, (a, b) in enumerate(zip(own, other, strict=False)) if a != b), None)
            if depth is None or depth < 2:
                continue
            nodes = folders.setdefault(".".join(own[:depth]), {})
            node, end = ".".join(own[: depth + 1]), ".".join(other[: depth + 1])
            nodes.setdefault(node, set()).add(end)
            nodes.setdefault(end, set())
    return folders


def _circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return one circle of the graph, if there is one."""
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return [error.args[1]]
    return []


def imported_modules(source: str, package: str, homes: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of every module of glassrank that the source imports or names in a string."""
    nodes = syntax_nodes(source)
    for node in nodes:
        match node:
            case ast.Import():
                for alias in node.names:
                    if alias.name.startswith("glassrank."):
                        yield node.lineno, alias.name
            case ast.ImportFrom():
                for module in _imported_from(node, package, homes):
                    yield node.lineno, module
            # Tables of lazily loaded modules, and the fixed prefix of f"glassrank.cli.{name}".
            case ast.Constant(value=str() as text) if found := _MODULE_IN_STRING.fullmatch(text):
                yield node.lineno, found[1]
            case ast.JoinedStr(values=[ast.Constant(value="glassrank."), *_]):
                yield node.lineno, "glassrank"
    yield from _used_through_the_package(nodes, homes)


def _imported_from(node: ast.ImportFrom, package: str, homes: Mapping[str, str]) -> Iterator[str]:
    module = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        module = ".".join([*above, module] if module else above)
    if module == "glassrank":
        yield from (_home(alias.name, homes) for alias in node.names if alias.name != "__version__")
    elif module.startswith("glassrank."):
        yield module


def _used_through_the_package(nodes: Iterable[ast.AST], homes: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """After ``import glassrank as gr``: every ``gr.name``, and ``gr`` itself if it is passed on."""
    imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    bound = {alias.asname or alias.name for alias in imports if alias.name == "glassrank"}
    looked_into = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            looked_into.add(node.value)
            if node.attr != "__version__":
                yield node.lineno, _home(node.attr, homes)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in bound and node not in looked_into:
            yield node.lineno, "glassrank"


def _home(name: str, homes: Mapping[str, str]) -> str:
    return f"glassrank.{homes.get(name, name)}"


def _folder(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None
