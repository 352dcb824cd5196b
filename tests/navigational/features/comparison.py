"""Compare a table of features with the twin's values."""

import pytest

from tests.navigational.features.random_worlds import by_row


def differences(table, expected, names):
    """Return the first few cells in which a table differs from the twin; identifiers are compared as text."""
    found = by_row(table)
    expected = {(str(query_id), rank): values for (query_id, rank), values in expected.items()}
    assert set(found) == set(expected)
    wrong = []
    for row, values in expected.items():
        for name in names:
            want, got = values[name], found[row][name]
            if got == want:  # most values are, and approx takes long
                continue
            if (want is None) != (got is None) or (
                want is not None and got != pytest.approx(want, rel=1e-12, abs=1e-12)
            ):
                wrong.append((*row, name, "expected", want, "got", got))
    return wrong[:10]
