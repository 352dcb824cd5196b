"""Versions in reports."""

from importlib.metadata import version

import lightgbm
import xgboost

from glassrank.studies.library_versions import library_versions


def test_versions_are_those_the_libraries_report_themselves():
    found = library_versions("numpy", "LightGBM", "XGBoost")
    assert list(found) == ["glassrank", "Python", "numpy", "LightGBM", "XGBoost"]
    assert (found["LightGBM"], found["XGBoost"]) == (lightgbm.__version__, xgboost.__version__)
    assert found["numpy"] == version("numpy")
