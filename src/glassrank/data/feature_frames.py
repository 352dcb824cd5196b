"""Features of a data frame as a table with kinds, by the rules that RankingData.from_frame follows."""

from collections.abc import Collection
from typing import Any

import numpy as np

from glassrank.core.feature_kinds import FeatureTable
from glassrank.data.frame_columns import FrameColumns
from glassrank.data.read_features import check_features, feature_columns


def feature_table(frame: Any, categorical: Collection[str] = ()) -> FeatureTable | None:
    """Return a frame whose columns are all features as a table; None if all of them are numbers.

    ``categorical`` names columns that are categories whatever they contain, if the frame has them.

    >>> import polars
    >>> table = feature_table(polars.DataFrame({"site": ["shop", "news"], "bm25": [1.5, None]}))
    >>> table.kinds[0].levels, table.values.tolist()
    (('news', 'shop'), [[1.0, 1.5], [0.0, nan]])
    """
    source = FrameColumns(frame)
    declared = [name for name in source.names if name in categorical]
    if not declared and not any(source.feature_type(name) in ("boolean", "text", "level") for name in source.names):
        return None
    check_features(source, source.names, declared)
    columns = feature_columns(source, source.names, declared, ())
    values = np.column_stack([columns[name].values for name in source.names])
    return FeatureTable(values, tuple(columns[name].kind for name in source.names), source.names)
