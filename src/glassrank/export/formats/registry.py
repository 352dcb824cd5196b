"""The formats by name."""

from glassrank.export.formats import python_function
from glassrank.export.formats.contract import Format

FORMATS: dict[str, Format] = {
    "python": Format("Python function", python_function.write),
}
