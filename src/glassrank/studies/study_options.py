"""The options of a ranking study and the texts that explain them, for the command line and the app alike.

This module imports nothing heavy, so that help texts can use it.
"""

from dataclasses import dataclass

KERNELS = ("linear", "lrbf")
MODES = ("utility", "difference", "one-orientation")
LOSSES = ("squared_hinge", "hinge", "logistic")
KEEP = ("best", "one-se", "literal")
FOLDS = ("query", "document", "pair")
SCALINGS = ("minmax", "zscore")
CONVENTIONS = ("standard", "letor", "letor4", "xgboost", "lightgbm", "sklearn")  # trec breaks ties by document ids
TRANSFORMS = ("none", "standard", "log", "quantile", "auto")
MEASURES = ("ndcg@10", "ndcg@5", "ndcg@1", "map", "mrr", "pair_accuracy")


@dataclass(frozen=True)
class StudyOption:
    """An option of ``glassrank study``, as a form shows it."""

    label: str
    """Name of the field."""
    meaning: str
    """One or two sentences; also the text of ``--help``."""
    choices: tuple[str, ...] = ()
    default: str = ""
    """What an empty field means; empty if the option is then left out."""
    is_list: bool = False
    """Whether the option may be given several times: one line of the field each."""
    is_common: bool = False
    """Whether the form shows it at once."""


STUDY_OPTIONS = {
    "kernel": StudyOption(
        "Curves",
        "Shape of the curves: one weight per feature, or a smooth curve per feature, which takes longer.",
        KERNELS,
        "linear",
        is_common=True,
    ),
    "measure": StudyOption(
        "Measure",
        "Measure used to choose C and the features. Default: ndcg@10; pair_accuracy for folds of pairs.",
        is_common=True,
    ),
    "convention": StudyOption("Convention", "Convention of the measures.", CONVENTIONS, "standard", is_common=True),
    "transform": StudyOption(
        "Transform",
        f"Transform of all features, or of one: {', '.join(TRANSFORMS)}. Repeatable. Default: standard.",
        is_list=True,
    ),
    "monotone": StudyOption(
        "Direction",
        "Feature whose effect may only rise (1) or only fall (-1), such as price=-1. Repeatable.",
        is_list=True,
    ),
    "scale-per-query": StudyOption(
        "Scaling within queries",
        "Scale features within each query first. A search engine cannot score with such a model.",
        SCALINGS,
    ),
    "keep": StudyOption(
        "Features to keep",
        "Features to keep: the number that ranks best on held-out queries; with one-se, fewer within its noise; with "
        "literal, by the paper on nomograms; or a number. All are kept instead of best or one-se if these rank "
        "significantly worse on the measured queries.",
        default="best",
    ),
    "folds": StudyOption(
        "Folds",
        "What the folds consist of. pair only reproduces published results. Default: query; document for one query.",
        FOLDS,
    ),
    "mode": StudyOption(
        "Mode",
        "Score documents, learn from differences of two documents, or learn each difference in one order, with a bias, "
        "as in the paper on nomograms.",
        MODES,
        "utility",
    ),
    "loss": StudyOption("Loss", "Loss of a pair.", LOSSES, "squared_hinge"),
    "C": StudyOption("C", "Weight of the loss against the size of the weights. Default: chosen."),
    "gamma": StudyOption(
        "γ", "Precision of the Gaussians, or scale to follow the data. Also scale*4, scale/4. Default: chosen."
    ),
    "tune": StudyOption(
        "LightGBM settings",
        "Number of settings to try for the LightGBM baseline. 0: LightGBM's defaults.",
        default="20",
    ),
    "margin": StudyOption(
        "Margin",
        "Largest difference in the measure with which another system is as good as the model. Default: none.",
    ),
    "missing": StudyOption(
        "Missing values",
        "Text that means a missing number in a table, such as NA. Repeatable. An empty field is always missing.",
        is_list=True,
    ),
    "seed": StudyOption("Seed", "Random seed.", default="0"),
}
"""Option without ``--`` -> how it is explained."""
