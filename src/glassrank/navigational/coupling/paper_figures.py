"""The figures of Lu, Peng, Li and Ahmed (2006), shown beside ours for orientation: their queries are not public."""

N_FEATURES = 50
LABEL = "paper, other data"
SELECTED_LABEL = f"{LABEL}, {N_FEATURES} features"

SELECTORS = ("information gain", "SVM weights", "boosting influence")
# Our selectors and classifiers that are variants of one of the paper's, and shown beside its figures.
VARIANTS = {
    "presence information gain": "information gain",
    "hinge SVM weights": "SVM weights",
    "categorical naive Bayes": "naive Bayes",
}

# Table 1: share of the top 50 in %, by category
BY_CATEGORY = {
    "click": (52, 84, 74),
    "url": (4, 2, 6),
    "anchor": (18, 2, 12),
    "other": (26, 12, 8),
}
# Table 2: share of the top 50 in %, by operators
BY_OPERATOR = {
    "vector": (40, 22, 28),
    "normalised ratios": (8, 38, 22),
    "min/max": (6, 20, 16),
    "entropy/std": (20, 16, 18),
    "mean/median": (26, 4, 16),
}
# Table 3: recall, precision and F1 on all 2,955 features
ALL_FEATURES = {
    "naive Bayes": (0.242, 0.706, 0.360),
    "SVM linear": (0.189, 1.000, 0.318),
    "maximum entropy": (0.743, 0.682, 0.711),
    "SVM RBF": (0.589, 0.485, 0.528),
    "boosting trees": (0.724, 0.845, 0.780),
}
# Table 4: F1 on 50 features, by selector
COUPLED = {
    "SVM linear": {"information gain": 0.124, "SVM weights": 0.733, "boosting influence": 0.712, "combined": 0.738},
    "naive Bayes": {"information gain": 0.226, "SVM weights": 0.182, "boosting influence": 0.088, "combined": 0.154},
    "maximum entropy": {
        "information gain": 0.427,
        "SVM weights": 0.777,
        "boosting influence": 0.828,
        "combined": 0.784,
    },
    "SVM RBF": {"information gain": 0.467, "SVM weights": 0.753, "boosting influence": 0.728, "combined": 0.736},
    "boosting trees": {"information gain": 0.627, "SVM weights": 0.881, "boosting influence": 0.848, "combined": 0.834},
}


def share(table: dict[str, tuple[int, int, int]], group: str, selector: str) -> float | None:
    """Return a share from table 1 or 2, or None if the paper has none.

    >>> share(BY_CATEGORY, "click", "SVM weights"), share(BY_CATEGORY, "click", "combined")
    (0.84, None)
    """
    selector = VARIANTS.get(selector, selector)
    if group not in table or selector not in SELECTORS:
        return None
    return table[group][SELECTORS.index(selector)] / 100.0


def f1(classifier: str, selector: str | None) -> float | None:
    """Return F1 from table 4, or from table 3 without a selector; None if the paper has none.

    >>> f1("boosting trees", "SVM weights"), f1("boosting trees", None), f1("boosting trees", "nomogram")
    (0.881, 0.78, None)
    """
    if selector is None:
        return all_features(classifier)[2]
    return COUPLED.get(VARIANTS.get(classifier, classifier), {}).get(VARIANTS.get(selector, selector))


def all_features(classifier: str) -> tuple[float | None, float | None, float | None]:
    """Return recall, precision and F1 from table 3; None if the paper has none.

    >>> all_features("categorical naive Bayes"), all_features("logistic")
    ((0.242, 0.706, 0.36), (None, None, None))
    """
    return ALL_FEATURES.get(VARIANTS.get(classifier, classifier), (None, None, None))
