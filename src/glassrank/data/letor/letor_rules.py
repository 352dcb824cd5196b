"""How LETOR text is to be understood, checked once."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError, check_choice
from glassrank.data.ranking_data import MISSING

# A larger feature number in a file is more likely damage than data, and would cost memory for nothing.
MOST_FEATURES = 1_000_000
# Column numbers are kept in 32 bits.
_MOST_FEATURES_EVER = 2**31 - 1


@dataclass(frozen=True)
class LetorRules:
    """Which feature numbers may stand, whether lines name their query, and what nan means.

    >>> LetorRules(n_features=46).highest
    46
    """

    n_features: int | None = None
    zero_based: bool | str = "auto"
    missing: str = "refuse"
    has_qid: bool = True

    def __post_init__(self) -> None:
        check_choice("zero_based", self.zero_based, ("auto", True, False))
        check_choice("missing", self.missing, MISSING)
        wanted = self.n_features
        if wanted is not None and not (isinstance(wanted, (int, np.integer)) and 1 <= wanted <= _MOST_FEATURES_EVER):
            raise DataError(
                parameter="n_features",
                expected=f"a whole number from 1 to {_MOST_FEATURES_EVER:,}, or None",
                got=wanted,
            )

    @property
    def lowest(self) -> int:
        """Lowest feature number that may stand."""
        return 0 if self.zero_based else 1

    @property
    def highest(self) -> int:
        """Highest feature number that may stand; with "auto", before it is known whether the file counts from 0."""
        n_features = MOST_FEATURES if self.n_features is None else int(self.n_features)
        return n_features - 1 if self.zero_based is True else n_features
