"""Training and test queries of which the training ones want to drop a feature that the test ones need."""

import numpy as np

import glassrank as gr

N_TRAIN, N_TEST, N_DOCUMENTS = 12, 60, 8


def guarded_data(seed=1):
    """Return training and test data; "steps" has ties, which "detail" breaks: by chance in training, well in the test.

    Within equal "steps", "detail" agrees with the labels of every test query, and of about half the training queries.
    """
    rng = np.random.default_rng(seed)
    return _queries(rng, N_TRAIN, "train", agrees=np.arange(N_TRAIN) % 2 == 0), _queries(
        rng, N_TEST, "test", agrees=np.ones(N_TEST, dtype=bool)
    )


def _queries(rng, n_queries, prefix, agrees):
    steps = np.tile(np.repeat([0.0, 1.0], N_DOCUMENTS // 2), n_queries)
    within = np.concatenate([rng.permutation(N_DOCUMENTS // 2) / N_DOCUMENTS for _ in range(2 * n_queries)])
    y = np.round(steps + within, 3) * N_DOCUMENTS
    detail = np.where(np.repeat(agrees, N_DOCUMENTS), within, -within) + 0.02 * rng.normal(size=len(y))
    qid = np.repeat([f"{prefix} {number}" for number in range(n_queries)], N_DOCUMENTS)
    return gr.RankingData(np.column_stack([steps, detail]), y, qid, feature_names=["steps", "detail"])
