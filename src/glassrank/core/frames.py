"""Construction of data frames with whichever library is installed."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from glassrank.core.checks import DataError

_CONSTRUCTORS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


def make_frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """Build a table from columns with pandas, Polars or pyarrow; by default, with the first that is installed."""
    if backend is not None and backend not in _CONSTRUCTORS:
        raise DataError(parameter="backend", expected=f"one of {', '.join(map(repr, _CONSTRUCTORS))}", got=backend)
    for name in [backend] if backend else _CONSTRUCTORS:
        try:
            library = import_module(name)
        except ModuleNotFoundError:
            continue
        return getattr(library, _CONSTRUCTORS[name])(dict(columns))
    wanted, needed = backend or "pandas", backend or "pandas, polars or pyarrow"
    raise DataError(f"A table needs {needed}, which is not installed.", remedy=f"Install it: pip install {wanted}.")
