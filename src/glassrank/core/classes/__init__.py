"""Objectives and solvers of binary support vector classifiers."""
