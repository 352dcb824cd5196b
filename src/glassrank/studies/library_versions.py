"""The versions of glassrank, Python and the libraries that a result depends on."""

from importlib.metadata import PackageNotFoundError, version
from platform import python_version

from glassrank import __version__

# Name in a report -> the packages that may contain the library
_PACKAGES = {
    "numpy": ("numpy",),
    "scipy": ("scipy",),
    "scikit-learn": ("scikit-learn",),
    "DuckDB": ("duckdb",),
    "LightGBM": ("lightgbm",),
    "XGBoost": ("xgboost", "xgboost-cpu"),
}


def library_versions(*libraries: str) -> dict[str, str]:
    """Return the versions of glassrank, Python and these libraries, as far as they are installed.

    >>> list(library_versions("numpy"))
    ['glassrank', 'Python', 'numpy']
    """
    found = {name: next(filter(None, map(_installed, _PACKAGES[name])), None) for name in libraries}
    return {
        "glassrank": __version__,
        "Python": python_version(),
        **{name: installed for name, installed in found.items() if installed is not None},
    }


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
