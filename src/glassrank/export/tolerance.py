"""How far the scores of an export may be from the model's."""

PROBABILITY_ERROR = 0.01  # allowed error of the log-odds of a pair
SPREAD_SHARE = 1e-3  # allowed error of scores without probabilities, as a share of their spread
CURVE_SHARE = 0.5  # of the allowed error is for the tables of curves; the rest is for rounding


def allowed_error(max_error: float | None, slope: float | None, spread: float) -> float:
    """Return the largest error of a score: the given one, or one that hardly changes a probability or an order.

    >>> allowed_error(None, 2.0, 10.0), allowed_error(None, None, 10.0)
    (0.005, 0.01)
    """
    if max_error is not None:
        return max_error
    return SPREAD_SHARE * spread if slope is None else PROBABILITY_ERROR / slope
