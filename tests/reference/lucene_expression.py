"""Lucene expressions, evaluated from their grammar: arithmetic, comparisons, conditionals and functions of doubles.

Only what the documentation of lucene-expressions lists. Values are arrays of doubles, one per row.
"""

import re

import numpy as np

TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(<=|>=|==|!=|[-+*/()<>?:,]))"
)
FUNCTIONS = {
    "abs": np.abs, "exp": np.exp, "ln": np.log, "log10": np.log10, "sqrt": np.sqrt, "tanh": np.tanh,
    "pow": np.power, "min": np.minimum, "max": np.maximum,
}  # fmt: skip
COMPARISONS = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    "==": np.equal, "!=": np.not_equal,
}  # fmt: skip


def evaluate(text, values):
    """Return the value of an expression for ``values``: a mapping of variable names to numbers or arrays."""
    reader = _Reader(text, values)
    with np.errstate(all="ignore"):
        result = reader.conditional()
    if reader.token is not None:
        raise ValueError(f"unexpected {reader.token!r} in an expression")
    return result


def variables(text):
    """Return the names of an expression's variables, in the order of their first use."""
    tokens = [match.groups() for match in TOKEN.finditer(text)]
    after = [symbol for _, _, symbol in tokens[1:]] + [None]
    names = [name for (_, name, _), following in zip(tokens, after, strict=True) if name and following != "("]
    return list(dict.fromkeys(names))


class _Reader:
    """Recursive descent; each method reads one level of precedence."""

    def __init__(self, text, values):
        self.text, self.values, self.place = text, values, 0
        self.advance()

    def advance(self):
        rest = self.text[self.place :].strip()
        match = TOKEN.match(self.text, self.place) if rest else None
        if rest and match is None:
            raise ValueError(f"no token at {rest[:20]!r}")
        self.number, self.name, self.symbol = match.groups() if match else (None, None, None)
        self.token = self.number or self.name or self.symbol
        self.place = match.end() if match else len(self.text)

    def take(self, *symbols):
        if self.symbol not in symbols or self.symbol is None:
            return None
        found = self.symbol
        self.advance()
        return found

    def expect(self, symbol):
        if not self.take(symbol):
            raise ValueError(f"expected {symbol!r}, found {self.token!r}")

    def conditional(self):
        condition = self.comparison()
        if not self.take("?"):
            return condition
        yes = self.conditional()
        self.expect(":")
        return np.where(np.asarray(condition) != 0, yes, self.conditional())

    def comparison(self):
        left = self.sum()
        while operator := self.take(*COMPARISONS):
            left = COMPARISONS[operator](left, self.sum()).astype(float)
        return left

    def sum(self):
        left = self.product()
        while operator := self.take("+", "-"):
            right = self.product()
            left = left + right if operator == "+" else left - right
        return left

    def product(self):
        left = self.unary()
        while operator := self.take("*", "/"):
            right = self.unary()
            left = left * right if operator == "*" else left / right
        return left

    def unary(self):
        if self.take("-"):
            return -self.unary()
        return self.unary() if self.take("+") else self.atom()

    def atom(self):
        number, name = self.number, self.name
        if self.take("("):
            inside = self.conditional()
            self.expect(")")
            return inside
        if number is None and name is None:
            raise ValueError(f"unexpected {self.token!r}")
        self.advance()
        if number is not None:
            octal = re.fullmatch(r"0[0-7]+", number)
            return np.float64(int(number, 8) if octal else float(number))
        if not self.take("("):
            return np.asarray(self.values[name], dtype=float)
        arguments = [self.conditional()]
        while self.take(","):
            arguments.append(self.conditional())
        self.expect(")")
        return FUNCTIONS[name](*arguments)
