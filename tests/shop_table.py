"""A small table of a shop's products, with everything that real tables have."""

import numpy as np
import pandas as pd


def shop(n_queries=12, per_query=10, seed=1):
    """A shop's table: gaps, a category, yes/no values and weights."""
    rng = np.random.default_rng(seed)
    n = n_queries * per_query
    brand = rng.integers(0, 6, n)
    rating, known = rng.uniform(1, 5, n).round(2), rng.random(n) > 0.2
    price, stock = np.exp(rng.normal(3, 1, n)).round(2), rng.random(n) < 0.7
    utility = np.where(known, rating, 1.5) - 0.5 * np.log(price) + stock + np.sin(2 * brand)
    return pd.DataFrame(
        {
            "qid": [f"q{query}" for query in np.repeat(np.arange(n_queries), per_query)],
            "doc_id": [f"d{row % per_query}" for row in range(n)],
            "label": np.digitize(utility + rng.normal(0, 0.5, n), [1.0, 2.5]),
            "price": price,
            "rating": np.where(known, rating, np.nan),
            "in stock": stock,
            "brand": [f"brand {number}" for number in brand],
            "weight": rng.choice([0.0, 0.5, 2.0], n),
        }
    )
