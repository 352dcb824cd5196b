"""The labels of ranking data as classes."""

from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.data.ranking_data import RankingData


def class_labels(data: RankingData) -> npt.NDArray[Any]:
    """Return the labels as classes: whole numbers without decimals, so that a class is called 1, not 1.0.

    >>> class_labels(RankingData([[0.5], [0.1]], y=[1.0, 0.0])).tolist()
    [1, 0]
    """
    return data.y.astype(np.int64) if bool((data.y == np.round(data.y)).all()) else data.y
