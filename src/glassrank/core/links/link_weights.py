"""Weights of links that limit the influence of single hosts (Bharat and Henzinger, 1998)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LinkWeights:
    """Weights of each link in the two sums; both are 0 for links within a host."""

    authority: FloatArray
    """1/k if k pages of the source's host link to the target."""
    hub: FloatArray
    """1/l if the source links to l pages of the target's host."""


def link_weights(sources: IntArray, targets: IntArray, hosts: IntArray) -> LinkWeights:
    """Return the weights of the distinct links sources[e] → targets[e] between pages of numbered hosts.

    >>> weighed = link_weights(np.array([0, 1, 1, 1]), np.array([2, 2, 3, 0]), hosts=np.array([0, 0, 1, 1]))
    >>> weighed.authority.tolist(), weighed.hub.tolist()
    ([0.5, 0.5, 1.0, 0.0], [1.0, 0.5, 0.5, 0.0])
    """
    between = (hosts[sources] != hosts[targets]).astype(np.float64)
    n_hosts = int(hosts.max(initial=-1)) + 1
    return LinkWeights(
        between / _alike(targets.astype(np.int64) * n_hosts + hosts[sources]),
        between / _alike(sources.astype(np.int64) * n_hosts + hosts[targets]),
    )


def _alike(keys: IntArray) -> npt.NDArray[np.int64]:
    """Return, for each entry, the number of entries with the same key."""
    _, group, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(sizes[group])
