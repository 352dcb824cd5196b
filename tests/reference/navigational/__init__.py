"""Slow twin of the 197 features of a query and one of its results; every definition is one short function."""

from tests.reference.navigational.all import features

__all__ = ["features"]
