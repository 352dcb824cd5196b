"""Rows of an export as documents of Solr: numbers in *_f, yes/no values in *_b, categories in *_s. Gaps: no field."""

from glassrank.core.feature_kinds import BOOLEAN, UNSEEN

SUFFIXES = {"number": "f", "boolean": "b", "category": "s"}
UNKNOWN = "a level that training did not have"


def field_of(feature):
    return f"{feature.name}_{SUFFIXES[feature.kind.name]}"


def definitions(form):
    """Return the field of each feature."""
    return {feature.name: field_of(feature) for feature in form.features}


def documents(form, X):
    return [
        {field_of(one): value(one.kind, x) for one, x in zip(form.features, row, strict=True) if x == x}
        for row in X.tolist()
    ]


def value(kind, x):
    if kind.is_category:
        return UNKNOWN if x == UNSEEN else kind.level(x)
    return bool(x) if kind.name == BOOLEAN else x
