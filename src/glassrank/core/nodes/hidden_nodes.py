"""Random hidden nodes: the first layer of an extreme learning machine, drawn once and never trained."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from glassrank.core.blocks import for_each
from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix
from glassrank.core.setting import setting

CACHE_BYTES = 1_000_000  # size of the blocks in which outputs are computed, which fit into the cache
DTYPES: dict[str, npt.DTypeLike] = {"float64": np.float64, "float32": np.float32}


def _sigmoid(argument: FloatArray) -> None:
    """1/(1 + exp(−z)) = ½ + ½ tanh(z/2), which does not overflow and is faster in numpy."""
    argument *= 0.5
    np.tanh(argument, out=argument)
    argument += 1.0
    argument *= 0.5


def _tanh(argument: FloatArray) -> None:
    np.tanh(argument, out=argument)


def _relu(argument: FloatArray) -> None:
    np.maximum(argument, 0.0, out=argument)


def _identity(argument: FloatArray) -> None:
    """Leave the arguments unchanged."""


def _exponential(argument: FloatArray) -> None:
    np.exp(argument, out=argument)


@dataclass(frozen=True)
class Activation:
    """Output of a node as a function of its argument z.

    The argument is −b‖x − a‖² for radial nodes and a·x + b for others, where a are the node's inputs and b is its bias.
    """

    replace: Callable[[FloatArray], None]
    """Replaces the arguments by the outputs, in place."""
    radial: bool = False

    def input_range(self, n_inputs: int) -> float:
        """Return the default r of the inputs' distribution U(−r, r): centres within ±2, or a·x of the order of 1."""
        return 2.0 if self.radial else 2.0 / float(np.sqrt(n_inputs))

    def bias_range(self, n_inputs: int) -> float:
        """Return the default s of the biases' distribution: U(0, s) for radial nodes, U(−s, s) otherwise."""
        return 1.0 / n_inputs if self.radial else 1.0

    def draw_biases(self, generator: np.random.Generator, n_nodes: int) -> FloatArray:
        """Draw biases for s = 1."""
        return generator.uniform(0.0 if self.radial else -1.0, 1.0, n_nodes)


ACTIVATIONS: dict[str, Activation] = {
    "sigmoid": Activation(_sigmoid),
    "gaussian": Activation(_exponential, radial=True),
    "tanh": Activation(_tanh),
    "relu": Activation(_relu),
    "linear": Activation(_identity),
}


@dataclass(frozen=True, eq=False)
class HiddenNodes(ABC):
    """Hidden nodes with the same activation: the inputs (weights or centre) and the bias of each node."""

    activation: str
    inputs: FloatArray
    biases: FloatArray

    @property
    def n_columns(self) -> int:
        """Number of nodes, which is the number of columns of the hidden layer."""
        return len(self.biases)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the nodes' outputs."""
        return self.inputs.dtype

    @abstractmethod
    def __call__(self, X: Matrix, out: FloatArray | None = None) -> FloatArray:
        """Return the output of every node for every row of X in the nodes' precision, in ``out`` if it is given."""


@dataclass(frozen=True, eq=False)
class FullNodes(HiddenNodes):
    """Nodes that use all features: column k of ``inputs`` contains the weights or the centre of node k.

    >>> nodes = FullNodes("relu", np.array([[1.0], [-2.0]]), np.array([0.5]))
    >>> nodes(np.array([[3.0, 1.0], [0.0, 4.0]])).tolist()
    [[1.5], [0.0]]
    """

    def __call__(self, X: Matrix, out: FloatArray | None = None) -> FloatArray:
        activation = ACTIVATIONS[self.activation]
        X = X.astype(self.dtype, copy=False)
        outputs = np.empty((X.shape[0], self.n_columns), dtype=self.dtype) if out is None else out
        if sparse.issparse(X):
            outputs[...] = X @ self.inputs
        else:
            np.matmul(X, self.inputs, out=outputs)
        square = np.einsum("fk,fk->k", self.inputs, self.inputs)
        squares = _squared_norms(X)[:, None] if activation.radial else outputs[:, :0]

        def activate(piece: IntArray) -> None:
            rows = slice(*piece)
            argument = outputs[rows]
            if activation.radial:
                # ‖x − a‖² = ‖x‖² − 2 a·x + ‖a‖²; rounding may make it negative.
                argument *= -2.0
                argument += square
                argument += squares[rows]
                np.maximum(argument, 0.0, out=argument)
                argument *= -self.biases
            else:
                argument += self.biases
            activation.replace(argument)

        for_each(_pieces(outputs), activate)
        return outputs


@dataclass(frozen=True, eq=False)
class OneFeatureNodes(HiddenNodes):
    """Nodes that use one feature each, so that any weighted sum of them is a sum of one curve per feature.

    >>> nodes = OneFeatureNodes("linear", np.array([2.0, -1.0]), np.array([0.0, 0.5]), feature=np.array([1, 0]))
    >>> nodes(np.array([[10.0, 3.0]])).tolist()
    [[6.0, -9.5]]
    """

    feature: IntArray
    """Index of the feature that each node uses."""

    def __call__(self, X: Matrix, out: FloatArray | None = None) -> FloatArray:
        dense = (X.toarray() if sparse.issparse(X) else X).astype(self.dtype, copy=False)
        outputs = np.empty((len(dense), self.n_columns), dtype=self.dtype) if out is None else out

        def activate(piece: IntArray) -> None:
            seen = dense[slice(*piece)][:, self.feature]
            outputs[slice(*piece)] = _outputs(self.activation, seen, self.inputs, self.biases)

        for_each(_pieces(outputs), activate)
        return outputs

    def columns(self, feature: int) -> "NodeColumns":
        """Return the nodes of one feature."""
        seen = self.feature == feature
        return NodeColumns(self.activation, self.inputs[seen], self.biases[seen])

    def curve(self, feature: int, coef: FloatArray) -> "NodeCurve":
        """Return the feature's part of Σ coef_k · output_k, a function of its value alone."""
        return self.columns(feature).curve(coef[self.feature == feature])


@dataclass(frozen=True, eq=False)
class NodeColumns:
    """The nodes of one feature as columns of its value, for a feature map.

    >>> NodeColumns("relu", np.array([1.0, -1.0]), np.array([0.0, 0.5]))(np.array([2.0, -1.0])).tolist()
    [[2.0, 0.0], [0.0, 1.5]]
    """

    activation: str
    inputs: FloatArray
    biases: FloatArray

    @property
    def n_columns(self) -> int:
        return len(self.biases)

    def __call__(self, values: FloatArray) -> FloatArray:
        arguments = np.asarray(values, dtype=self.inputs.dtype)[..., None]
        return _outputs(self.activation, arguments, self.inputs, self.biases)

    def curve(self, weights: FloatArray) -> "NodeCurve":
        """Return the sum of the nodes' outputs, times their weights."""
        return NodeCurve(self, weights)


@dataclass(frozen=True, eq=False)
class NodeCurve:
    """effect(x) = Σ_k coef_k φ(a_k x + b_k), for Gaussian nodes Σ_k coef_k exp(−b_k (x − a_k)²).

    >>> curve = NodeColumns("relu", np.array([1.0, -1.0]), np.array([0.0, 0.0])).curve(np.array([2.0, 5.0]))
    >>> curve(np.array([-1.0, 3.0])).tolist()
    [5.0, 6.0]
    """

    nodes: NodeColumns
    coef: FloatArray

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.nodes(values) @ self.coef)


NODE_KINDS = {"full": "each uses all features", "additive": "each uses one feature"}


def draw_nodes(
    kind: str,
    n_features: int,
    n_nodes: int,
    activation: str,
    generator: np.random.Generator,
    *,
    input_range: float | None = None,
    bias_range: float | None = None,
    dtype: str = "float64",
    numbers: IntArray | None = None,
) -> HiddenNodes:
    """Draw inputs from U(−r, r) and biases up to s; ``None`` means the activation's default r or s.

    Nodes of the kind ``additive`` are distributed evenly over the features, or over those in ``numbers``; the first
    features may get one more.

    >>> draw_nodes("full", 2, 3, "sigmoid", np.random.default_rng(0)).inputs.shape
    (2, 3)
    >>> draw_nodes("additive", 3, 7, "sigmoid", np.random.default_rng(0)).feature.tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    n_inputs = n_features if kind == "full" else 1
    features = np.arange(n_features) if numbers is None else numbers
    n_nodes = n_nodes if len(features) else 0
    rule = ACTIVATIONS[activation]
    r = rule.input_range(n_inputs) if input_range is None else input_range
    s = rule.bias_range(n_inputs) if bias_range is None else bias_range
    inputs = (r * generator.uniform(-1.0, 1.0, (n_inputs, n_nodes))).astype(DTYPES[dtype])
    biases = (s * rule.draw_biases(generator, n_nodes)).astype(DTYPES[dtype])
    if kind == "full":
        return FullNodes(activation, inputs, biases)
    if n_nodes < len(features):
        raise DataError(
            f"n_nodes must be at least the number of features if every node uses one feature: expected {len(features)}"
            f", got {n_nodes}.",
            parameter="n_nodes",
            remedy=f"A feature without a node would be dropped: raise {setting('n_nodes')}.",
        )
    feature = features[np.sort(np.arange(n_nodes) % max(1, len(features)))]
    return OneFeatureNodes(activation, inputs[0], biases, feature)


def _outputs(activation: str, values: FloatArray, inputs: FloatArray, biases: FloatArray) -> FloatArray:
    """Return the outputs of nodes for the value of their feature; the last axis is that of the nodes."""
    kind = ACTIVATIONS[activation]
    if kind.radial:
        argument = values - inputs
        argument *= argument
        argument *= -biases
    else:
        argument = values * inputs
        argument += biases
    kind.replace(argument)
    return np.asarray(argument)


def _pieces(rows: FloatArray) -> list[IntArray]:
    """Return ranges [first, end) of rows that fit into the cache."""
    step = max(1, CACHE_BYTES // (rows.itemsize * max(1, rows.shape[1])))
    return [np.array([first, min(first + step, len(rows))]) for first in range(0, len(rows), step)]


def _squared_norms(X: Matrix) -> FloatArray:
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))
