"""Sums along links: over the pages that a page links to, and over the pages that link to it.

Links are in compressed rows: page i links to ``indices[indptr[i]:indptr[i + 1]]``. One thread adds in the order of the
rows, so that results are bitwise equal on any number of cores.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray
from glassrank.kernels import njit

Places = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class LinkSums:
    """Links with their weights in the two sums; None means that all weights are 1.

    >>> cycle = LinkSums(np.array([0, 1, 2, 3]), np.array([1, 2, 0]))
    >>> cycle.hubs(np.array([1.0, 2.0, 3.0])).tolist(), cycle.authorities(np.array([1.0, 2.0, 3.0])).tolist()
    ([2.0, 3.0, 1.0], [3.0, 1.0, 2.0])
    """

    indptr: Places
    indices: Places
    to_authorities: FloatArray | None = None
    """Weight of each link in the sum of its target."""
    to_hubs: FloatArray | None = None
    """Weight of each link in the sum of its source."""

    @property
    def n_pages(self) -> int:
        return len(self.indptr) - 1

    @property
    def symmetric(self) -> bool:
        """Whether both sums use the same weights, so that ``step`` is a symmetric matrix."""
        return self.to_hubs is self.to_authorities

    @property
    def transposed(self) -> "LinkSums":
        """The same links with the two kinds of weights exchanged; its ``step`` is the transpose."""
        return LinkSums(self.indptr, self.indices, self.to_hubs, self.to_authorities)

    def hubs(self, authority: FloatArray) -> FloatArray:
        """h_i = Σ authority_j · weight over the links i → j."""
        sums = np.empty(self.n_pages)
        if self.to_hubs is None:
            _collect(_unsigned(self.indptr), _unsigned(self.indices), authority, sums)
        else:
            _collect_weighted(_unsigned(self.indptr), _unsigned(self.indices), self.to_hubs, authority, sums)
        return sums

    def authorities(self, hub: FloatArray) -> FloatArray:
        """a_j = Σ hub_i · weight over the links i → j."""
        sums = np.zeros(self.n_pages)
        if self.to_authorities is None:
            _distribute(_unsigned(self.indptr), _unsigned(self.indices), hub, sums)
        else:
            _distribute_weighted(_unsigned(self.indptr), _unsigned(self.indices), self.to_authorities, hub, sums)
        return sums

    def step(self, authority: FloatArray) -> FloatArray:
        """Return one iteration without normalisation: the authorities of the hubs of ``authority``."""
        return self.authorities(self.hubs(authority))


def _unsigned(indices: Places) -> Places:
    """Convert indices to unsigned: numba's check for negative indices costs a fifth of the time."""
    return indices.view(f"u{indices.dtype.itemsize}")


@njit(cache=True, nogil=True)
def _collect(indptr: Places, indices: Places, values: FloatArray, sums: FloatArray) -> None:
    """Sum with four accumulators, so that an addition need not wait for the previous one."""
    end = np.int64(0)
    for row in range(len(indptr) - 1):
        place, end = end, np.int64(indptr[row + 1])
        first = second = third = fourth = 0.0
        while place + 4 <= end:
            first += values[indices[place]]
            second += values[indices[place + 1]]
            third += values[indices[place + 2]]
            fourth += values[indices[place + 3]]
            place += 4
        while place < end:
            first += values[indices[place]]
            place += 1
        sums[row] = (first + second) + (third + fourth)


@njit(cache=True, nogil=True)
def _collect_weighted(
    indptr: Places, indices: Places, weights: FloatArray, values: FloatArray, sums: FloatArray
) -> None:
    for row in range(len(indptr) - 1):
        total = 0.0
        for place in range(np.int64(indptr[row]), np.int64(indptr[row + 1])):
            total += weights[place] * values[indices[place]]
        sums[row] = total


@njit(cache=True, nogil=True)
def _distribute(indptr: Places, indices: Places, values: FloatArray, sums: FloatArray) -> None:
    end = np.int64(0)
    for row in range(len(indptr) - 1):
        place, end = end, np.int64(indptr[row + 1])
        value = values[row]
        while place + 4 <= end:
            sums[indices[place]] += value
            sums[indices[place + 1]] += value
            sums[indices[place + 2]] += value
            sums[indices[place + 3]] += value
            place += 4
        while place < end:
            sums[indices[place]] += value
            place += 1


@njit(cache=True, nogil=True)
def _distribute_weighted(
    indptr: Places, indices: Places, weights: FloatArray, values: FloatArray, sums: FloatArray
) -> None:
    for row in range(len(indptr) - 1):
        value = values[row]
        for place in range(np.int64(indptr[row]), np.int64(indptr[row + 1])):
            sums[indices[place]] += weights[place] * value
