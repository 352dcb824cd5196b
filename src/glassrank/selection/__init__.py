"""Feature selection: information gain, SVM weights, boosting influence, combined."""
