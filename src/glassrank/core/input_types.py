"""Names for arguments of public functions that come in many forms."""

from typing import Any

import numpy as np

# No type covers these without refusing something that works, because SciPy and most data frame libraries have no types.
ArrayLike = Any  # an array, a list, a sparse matrix, or a column or table of a data frame library
Frame = Any  # a table of pandas, Polars or pyarrow
Estimator = Any  # a model with scikit-learn's methods, from any library
FoldsLike = Any  # number of folds, a splitter of scikit-learn, or pairs of training and test rows
TableLike = Any  # a table, or the path of a Parquet, CSV or TSV file
Identifier = Any  # number or text that names a query or a document

RandomState = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
