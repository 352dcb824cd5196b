"""The table of a parameter search in a model file: the scores of each candidate on held-out queries."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import PlainValidator, model_validator

from glassrank.modelfile.codec.parameters import as_gamma, as_listed
from glassrank.modelfile.codec.values import FloatVector, IntVector, Strict, as_number, check_size, check_that


def _measured(value: Any) -> Any:
    """Return scores as a list of finite numbers, with None for folds that have nothing to measure."""
    return as_listed(value, lambda one: None if one is None or one != one else as_number(one))


Measured = Annotated[Any, PlainValidator(_measured)]
Gammas = Annotated[Any, PlainValidator(lambda value: as_listed(value, as_gamma))]


class PathPart(Strict):
    """One row per candidate: the penalty (C or λ), γ if it was searched too, and the scores."""

    penalty: FloatVector
    gamma: Gammas | None
    splits: list[Measured]
    mean: FloatVector
    std: FloatVector
    rank: IntVector

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        columns = {"mean": self.mean, "std": self.std, "rank": self.rank}
        columns |= {f"splits.{number}": split for number, split in enumerate(self.splits)}
        if self.gamma is not None:
            columns["gamma"] = self.gamma
        for name, column in columns.items():
            check_size(f"path.{name}", column, len(self.penalty), "choice")
        check_that(bool((self.penalty > 0).all()), "path.penalty must be above 0")
        check_that(bool((self.rank >= 1).all()), "path.rank must count from 1")
        check_that(bool((self.std >= 0).all()), "path.std must not be negative")
        return self

    @classmethod
    def of(cls, results: Mapping[str, Any], penalty: str) -> Self:
        """Extract a search's ``cv_results_``; ``penalty`` is the name of its first column."""
        n_splits = sum(name.startswith("split") for name in results)
        return cls(
            penalty=results[penalty],
            gamma=results.get("gamma"),
            splits=[results[_split(number)] for number in range(n_splits)],
            mean=results["mean_test_score"],
            std=results["std_test_score"],
            rank=results["rank_test_score"],
        )

    def results(self, penalty: str) -> dict[str, Any]:
        """Rebuild ``cv_results_``."""
        results: dict[str, Any] = {penalty: self.penalty}
        if self.gamma is not None:
            results["gamma"] = np.array(self.gamma, dtype=object)
        results |= {_split(number): np.array(split, dtype=np.float64) for number, split in enumerate(self.splits)}
        return results | {"mean_test_score": self.mean, "std_test_score": self.std, "rank_test_score": self.rank}


def _split(number: int) -> str:
    return f"split{number}_test_score"
