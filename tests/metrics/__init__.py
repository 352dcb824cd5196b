"""Tests of measures and comparisons."""
