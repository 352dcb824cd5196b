"""The options for reading LETOR text, checked once."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError, check_choice
from glassrank.data.ranking_data import MISSING

# A larger feature number is more likely damage than data, and would waste memory.
MAX_FEATURES = 1_000_000
# Column numbers are stored in 32 bits.
_MAX_COLUMN_NUMBER = 2**31 - 1


@dataclass(frozen=True)
class LetorRules:
    """Which feature numbers are allowed, whether lines have a qid, and whether NaN is allowed.

    >>> LetorRules(n_features=46).highest
    46
    """

    n_features: int | None = None
    zero_based: bool | str = "auto"
    missing: str = "keep"
    has_qid: bool = True

    def __post_init__(self) -> None:
        check_choice("zero_based", self.zero_based, ("auto", True, False))
        check_choice("missing", self.missing, MISSING)
        wanted = self.n_features
        if wanted is not None and not (isinstance(wanted, (int, np.integer)) and 1 <= wanted <= _MAX_COLUMN_NUMBER):
            raise DataError(
                parameter="n_features",
                expected=f"a whole number from 1 to {_MAX_COLUMN_NUMBER:,}, or None",
                got=wanted,
            )

    @property
    def lowest(self) -> int:
        """Lowest allowed feature number."""
        return 0 if self.zero_based else 1

    @property
    def highest(self) -> int:
        """Highest allowed feature number; with "auto", the one for a file that counts from 1."""
        n_features = MAX_FEATURES if self.n_features is None else int(self.n_features)
        return n_features - 1 if self.zero_based is True else n_features
