"""The names of the selectors in Python, commands and reports, with a description of their scores.

This module imports nothing heavy, so that help texts can use it.
"""

INFORMATION_GAIN = "information gain"
SVM_WEIGHTS = "SVM weights"
BOOSTING_INFLUENCE = "boosting influence"
COMBINED = "combined"
NOMOGRAM = "nomogram"
PRESENCE_GAIN = "presence information gain"
HINGE_WEIGHTS = "hinge SVM weights"

COMBINED_SELECTORS = (SVM_WEIGHTS, BOOSTING_INFLUENCE)

SELECTORS = {
    INFORMATION_GAIN: "bits about the label, or about the order of a pair",
    SVM_WEIGHTS: "|w| of a linear SVM",
    BOOSTING_INFLUENCE: "share of the gain of boosted trees",
    COMBINED: f"{' and '.join(COMBINED_SELECTORS)} in turn",
    NOMOGRAM: "length of the line in the nomogram of a linear SVM",
    PRESENCE_GAIN: "information gain of whether a feature is not 0",
    HINGE_WEIGHTS: "|w| of a linear SVM with hinge loss",
}
# The last two are for comparison with Lu, Peng, Li and Ahmed (2006), who define information gain and SVM weights so.
DEFAULT_SELECTORS = (INFORMATION_GAIN, SVM_WEIGHTS, BOOSTING_INFLUENCE, COMBINED, NOMOGRAM)


def explained_selectors(*, nomogram: str = SELECTORS[NOMOGRAM]) -> str:
    """Return every name with its description, as one line of help.

    >>> explained_selectors().split("; ")[1]
    'SVM weights: |w| of a linear SVM'
    """
    return "; ".join(f"{name}: {meaning}" for name, meaning in (SELECTORS | {NOMOGRAM: nomogram}).items())
