"""The models that can be trained by name, their options, and the texts that explain them.

This module imports nothing heavy, so that help texts can use it. ``trainers`` builds and fits the models.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from glassrank.studies.study_options import CONVENTIONS

NUMBER, COUNT, TEXT, DIRECTIONS = "number", "count", "text", "directions"
"""What an option takes without choices: a positive number, a positive whole number, a text, or 1 or −1 by feature."""


@dataclass(frozen=True)
class Option:
    """What all models share of an option: its meaning, and what it takes besides choices."""

    meaning: str
    takes: str = NUMBER
    words: Mapping[str, Any] = field(default_factory=dict)
    """Words that it takes instead of a number, and the value that the estimator gets for each."""


@dataclass(frozen=True)
class ModelOption:
    """An option of one model, which is the argument of the same name of its estimator."""

    default: Any
    choices: tuple[str, ...] = ()
    needs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Other options and the values of theirs without which this one would have no effect."""
    about_choices: str = ""
    """What only this model's choices mean."""


@dataclass(frozen=True)
class TrainableModel:
    """A model that can be trained by name."""

    meaning: str
    options: Mapping[str, ModelOption]
    classifies: bool = False
    """Whether labels are two classes, instead of degrees of relevance within queries."""


OPTIONS = {
    "C": Option("Weight of the loss against the size of the weights."),
    "Cs": Option("Number of values of C to try.", COUNT),
    "kernel": Option("Kernel; lrbf is one smooth curve per feature."),
    "loss": Option("Loss of a pair or, in a classifier, of a row."),
    "gamma": Option("Precision of the Gaussians, or scale to follow the data.", words={"scale": "scale"}),
    "linear": Option("Weight of a linear part beside the Gaussians, so that trends reach the ends."),
    "min_count": Option("Levels of a category with fewer rows share one effect.", COUNT),
    "missing": Option("What to do with a missing value of a feature that had none in training."),
    "monotone": Option("Feature whose effect may only rise (1) or only fall (-1), such as price=-1.", DIRECTIONS),
    "mode": Option("Score documents, or compare two documents by the differences of their features."),
    "pair_weight": Option("Weight of a pair."),
    "C_unit": Option("C multiplies the mean of the pair losses, or each of them."),
    "max_pairs": Option("Maximum number of listed pairs, or none for no limit.", COUNT, {"none": None}),
    "nodes": Option("A node uses all features or, additive, one of them."),
    "n_nodes": Option("Number of hidden nodes.", COUNT),
    "activation": Option("Function of a hidden node."),
    "alpha": Option("Weight of the size of the weights against the loss."),
    "weighting": Option("Weight of a pair in the squared error."),
    "input_range": Option("Largest input weight of a node."),
    "bias_range": Option("Largest bias of a node."),
    "dtype": Option("Precision of the hidden layer."),
    "scoring": Option("Measure that chooses C, alpha or the feature.", TEXT),
    "convention": Option("Convention of the measure."),
    "tol": Option("Largest certified gap, as a share of the objective."),
    "max_iter": Option("Maximum number of steps.", COUNT),
}
"""Argument of the estimators -> what it means."""

_C = {"C": ModelOption(1.0)}
_KERNEL = {
    "kernel": ModelOption("linear", ("linear", "lrbf")),
    "gamma": ModelOption("scale", needs=(("kernel", ("lrbf",)),)),
    "linear": ModelOption(0.0, needs=(("kernel", ("lrbf",)),)),
}
_ADDITIVE_KERNEL = {
    **_KERNEL,
    "min_count": ModelOption(10),
    "missing": ModelOption("refuse", ("refuse", "mean")),
}
_MONOTONE = {"monotone": ModelOption(None, needs=(("mode", ("utility",)),))}
_CLASS_LOSS = {"loss": ModelOption("squared_hinge", ("squared_hinge", "hinge"))}
_STEPS = {"tol": ModelOption(1e-6), "max_iter": ModelOption(200)}
_MODE = {"mode": ModelOption("utility", ("utility", "difference"))}
_CLASSIFIER, _REGRESSION = "linear classifier of document differences", "linear regression on document differences"
_RANKING_LOSS = {
    "loss": ModelOption("squared_hinge", ("squared_hinge", "hinge", "logistic")),
    "pair_weight": ModelOption("uniform", ("uniform", "query", "label-gap", "ndcg")),
    "C_unit": ModelOption("mean", ("mean", "pair")),
}
_WEIGHTING = {"weighting": ModelOption("pairs", ("pairs", "query", "different-labels"))}
_NODES = {
    "nodes": ModelOption("full", ("full", "additive")),
    "min_count": ModelOption(10, needs=(("nodes", ("additive",)),)),
    "missing": ModelOption("refuse", ("refuse", "mean")),
    "n_nodes": ModelOption(500),
    "activation": ModelOption("sigmoid", ("sigmoid", "gaussian", "tanh", "relu", "linear")),
    **_WEIGHTING,
    "input_range": ModelOption(None),
    "bias_range": ModelOption(None),
    "dtype": ModelOption("float64", ("float64", "float32")),
}


def _steps(most: int) -> dict[str, ModelOption]:
    return {"max_iter": ModelOption(most)}


def _measured(scoring: str) -> dict[str, ModelOption]:
    return {"scoring": ModelOption(scoring), "convention": ModelOption("standard", CONVENTIONS)}


MODELS = {
    "rank-svm": TrainableModel(
        "ranking SVM",
        {
            **_C,
            **_ADDITIVE_KERNEL,
            **_RANKING_LOSS,
            **_MONOTONE,
            **_MODE,
            "max_pairs": ModelOption(100_000, needs=(("mode", ("difference",)), ("kernel", ("lrbf",)))),
            **_STEPS,
        },
    ),
    "rank-svm-cv": TrainableModel(
        "ranking SVM with the C that ranks held-out queries best",
        {
            "Cs": ModelOption(10),
            **_ADDITIVE_KERNEL,
            "monotone": ModelOption(None),
            **_RANKING_LOSS,
            **_measured("ndcg@10"),
            **_STEPS,
        },
    ),
    "elm-rank": TrainableModel(
        "ELMRank, least squares on a random hidden layer", {"alpha": ModelOption(1e-3), **_NODES}
    ),
    "elm-rank-cv": TrainableModel(
        "ELMRank with the alpha that ranks held-out queries best", {**_NODES, **_measured("pair_accuracy")}
    ),
    "kernel-least-squares": TrainableModel(
        "least squares with a kernel",
        {
            "alpha": ModelOption(1e-3),
            "kernel": ModelOption(
                "rbf", ("rbf", "laplacian", "linear"), about_choices="rbf and laplacian mix the features."
            ),
            "gamma": ModelOption("scale", needs=(("kernel", ("rbf", "laplacian")),)),
            **_WEIGHTING,
        },
    ),
    "best-single-feature": TrainableModel("the feature that ranks best alone", _measured("ndcg@10")),
    "additive-svc": TrainableModel(
        "classifier of two labels",
        {**_C, **_ADDITIVE_KERNEL, **_CLASS_LOSS, **_STEPS},
        classifies=True,
    ),
    "pairwise-additive-svc": TrainableModel(
        "linear or additive classifier of document differences",
        {**_C, **_KERNEL, **_CLASS_LOSS, **_MODE, **_STEPS},
    ),
    "pairwise-linear-svc": TrainableModel(_CLASSIFIER, {**_C, **_CLASS_LOSS, **_MODE, **_steps(1000)}),
    "pairwise-svc": TrainableModel(_CLASSIFIER, {**_C, **_MODE}),
    "pairwise-logistic-regression": TrainableModel(_CLASSIFIER, {**_C, **_MODE, **_steps(100)}),
    "pairwise-ridge-classifier": TrainableModel(_CLASSIFIER, {"alpha": ModelOption(1.0), **_MODE}),
    "pairwise-sgd-classifier": TrainableModel(_CLASSIFIER, {"alpha": ModelOption(1e-4), **_MODE, **_steps(1000)}),
    "pairwise-perceptron": TrainableModel(_CLASSIFIER, {**_MODE, **_steps(1000)}),
    "pairwise-linear-svr": TrainableModel(_REGRESSION, {**_C, **_MODE, **_steps(1000)}),
    "pairwise-linear-regression": TrainableModel(_REGRESSION, _MODE),
    "pairwise-ridge": TrainableModel(_REGRESSION, {"alpha": ModelOption(1.0), **_MODE}),
    "pairwise-lasso": TrainableModel(_REGRESSION, {"alpha": ModelOption(1.0), **_MODE, **_steps(1000)}),
    "pairwise-elastic-net": TrainableModel(_REGRESSION, {"alpha": ModelOption(1.0), **_MODE, **_steps(1000)}),
}
"""Name of a model -> what it is, and its options."""


ELIMINATED = ("rank-svm", "additive-svc", "pairwise-additive-svc")
"""Models whose features can be eliminated by the length of their lines."""

ELIMINATION_DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "rank-svm": {"C": "the number of rows", "missing": "mean"},
    "additive-svc": {"missing": "mean"},
    "pairwise-additive-svc": {},
}
"""Options for which an elimination has another default than the model."""


def option_names(models: Collection[str] = MODELS.keys()) -> list[str]:
    """Return the options of some models, in the order of the table of options."""
    return [name for name in OPTIONS if any(name in MODELS[model].options for model in models)]


def explained_models(models: Collection[str] = MODELS.keys()) -> str:
    """Return names with their meanings, as one line of help.

    >>> explained_models().split("; ")[0]
    'rank-svm: ranking SVM'
    """
    named: dict[str, list[str]] = {}
    for name in models:
        named.setdefault(MODELS[name].meaning, []).append(name)
    return "; ".join(f"{', '.join(names)}: {meaning}" for meaning, names in named.items())


def explained_option(
    name: str, of: Collection[str] = MODELS.keys(), defaults: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """Return the meaning of an option and its default in each model that has it, as one line of help.

    >>> explained_option("n_nodes")
    'Number of hidden nodes. Default: 500 (elm-rank, elm-rank-cv).'
    >>> explained_option("missing", ELIMINATED, ELIMINATION_DEFAULTS).split(". ")[1]
    'Default: mean (rank-svm, additive-svc).'
    """
    models: dict[str, list[str]] = {}
    meanings = {OPTIONS[name].meaning: None}
    for model in of:
        if name in MODELS[model].options:
            option = MODELS[model].options[name]
            default = (defaults or {}).get(model, {}).get(name, _shown(option.default))
            models.setdefault(default, []).append(model)
            meanings |= {option.about_choices: None} if option.about_choices else {}
    meaning = " ".join(meanings)
    if OPTIONS[name].takes == DIRECTIONS:
        return f"{meaning} Repeatable."
    shown = ", ".join(f"{default} ({', '.join(names)})" for default, names in models.items())
    return f"{meaning} Default: {shown}."


def choices_of(name: str, models: Collection[str] = MODELS.keys()) -> tuple[str, ...]:
    """Return what an option can be in any of the models; empty if it takes numbers or text.

    >>> choices_of("kernel")
    ('linear', 'lrbf', 'rbf', 'laplacian')
    """
    options = (MODELS[model].options.get(name) for model in models)
    return tuple(dict.fromkeys(choice for option in options if option for choice in option.choices))


def check_options(model: str, given: Mapping[str, Any]) -> None:
    """Raise an error for options that the model does not have, choices that it does not know, and useless options."""
    from glassrank.core.checks import DataError, check_choice
    from glassrank.core.setting import setting

    check_choice("model", model, MODELS)
    known = MODELS[model].options
    for name, value in given.items():
        if name not in known:
            has = ", ".join(setting(option) for option in known)
            raise DataError(f"{name} is not an option of {model}. Its options: {has}.", parameter=name, got=value)
        if known[name].choices:
            check_choice(name, value, known[name].choices)
        for other, values in _unmet(known, name, given):
            wanted = " or ".join(setting(other, one) for one in values)
            raise DataError(f"{name} has no effect without {wanted}.", parameter=name, got=value)


def _unmet(
    known: Mapping[str, ModelOption], name: str, given: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the needs of an option that the given options, or else the defaults, do not meet."""
    for other, values in known[name].needs:
        if given.get(other, known[other].default) not in values:
            yield other, values


def _shown(default: Any) -> str:
    if default is None:
        return "chosen"
    return f"{default:,}" if isinstance(default, int) else f"{default:g}" if isinstance(default, float) else default
