"""The names of the selectors in Python, commands and reports, with a description of their scores.

This module imports nothing heavy, so that help texts can use it.
"""

INFORMATION_GAIN = "information gain"
SVM_WEIGHTS = "SVM weights"
BOOSTING_INFLUENCE = "boosting influence"
COMBINED = "combined"
NOMOGRAM = "nomogram"

COMBINED_SELECTORS = (SVM_WEIGHTS, BOOSTING_INFLUENCE)

SELECTORS = {
    INFORMATION_GAIN: "bits about the label, or about the order of a pair",
    SVM_WEIGHTS: "|w| of a linear SVM",
    BOOSTING_INFLUENCE: "share of the gain of boosted trees",
    COMBINED: f"{' and '.join(COMBINED_SELECTORS)} in turn",
    NOMOGRAM: "length of the line in the nomogram of a linear SVM",
}


def explained_selectors(*, nomogram: str = SELECTORS[NOMOGRAM]) -> str:
    """Return every name with its description, as one line of help.

    >>> explained_selectors().split("; ")[1]
    'SVM weights: |w| of a linear SVM'
    """
    return "; ".join(f"{name}: {meaning}" for name, meaning in (SELECTORS | {NOMOGRAM: nomogram}).items())
