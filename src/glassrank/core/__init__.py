"""Numerical core: functions from arrays to arrays, without files, printing or scikit-learn."""
