"""Tests of the repository as a whole: layers, names, docs, commands, packaging and house rules."""
