"""Types of arguments of public functions that accept many kinds of objects."""

from typing import Any

import numpy as np

# A precise type would exclude valid arguments, because SciPy and most data frame libraries have no type annotations.
ArrayLike = Any  # an array, a list, a sparse matrix, or a column or table of a data frame library
Frame = Any  # a table of pandas, Polars or pyarrow
Estimator = Any  # a model with scikit-learn's methods, from any library
FoldsLike = Any  # number of folds, a splitter of scikit-learn, or pairs of training and test rows
TableLike = Any  # a table, or the path of a Parquet, CSV or TSV file
Identifier = Any  # number or string that identifies a query or a document

RandomState = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
