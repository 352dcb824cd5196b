"""The catalogue of features, collected from the files that declare and compute them."""

from types import ModuleType

from glassrank.navigational.feature import CATEGORIES, Feature
from glassrank.navigational.features import query_level_features, result_list_features, url_features
from glassrank.navigational.features.anchor import anchor_features
from glassrank.navigational.features.link import link_features
from glassrank.navigational.features.log import click_features, log_features
from glassrank.navigational.features.page import page_features, spam_features

# Group -> its module, which has FEATURES and compute(sources, wanted). If two modules declare names with the same
# prefix (q_, sp_), those of the first come first.
MODULES: dict[str, ModuleType] = {
    "click": click_features,
    "url": url_features,
    "anchor": anchor_features,
    "ranks": result_list_features,
    "page": page_features,
    "spam": spam_features,
    "link": link_features,
    "query": query_level_features,
    "log": log_features,
}

# Prefixes of the names in category "other", in the order of the table.
_BEGINNINGS = ("rk", "ti", "bo", "he", "me", "sn", "site", "bm25f", "pg", "li", "sp", "ql", "q")


def _place(feature: Feature) -> tuple[int, int]:
    """Sort key of a feature's group in the table; within a group, features keep the order of declaration."""
    beginning = feature.name.partition("_")[0]
    group = _BEGINNINGS.index(beginning) if feature.category == "other" else 0
    return CATEGORIES.index(feature.category), group


FEATURES: tuple[Feature, ...] = tuple(
    sorted((one for module in MODULES.values() for one in module.FEATURES), key=_place)
)
