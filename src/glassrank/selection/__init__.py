"""Which features to keep: information gain, SVM weights, boosting influence, combined."""
