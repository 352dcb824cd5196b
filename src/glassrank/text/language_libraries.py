"""Optional libraries of single languages: imported where used, with an error that names the extra to install."""

from importlib import import_module
from importlib.metadata import version
from typing import Any

from glassrank.core.checks import DataError


def language_library(module: str, extra: str) -> Any:
    """Import a module of an optional library.

    >>> language_library("klingon.verbs", "languages")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: The language needs the library klingon, which is not installed. Install it: pip \
install glassrank[languages].
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise DataError(
            f"The language needs the library {module.partition('.')[0]}, which is not installed.",
            remedy=f"Install it: pip install glassrank[{extra}].",
        ) from error


def library_version(name: str) -> str:
    """Return the name and the version of an installed library.

    >>> library_version("numpy").split()[0]
    'numpy'
    """
    return f"{name} {version(name)}"
