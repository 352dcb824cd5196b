"""How a ranking study measures: its folds, the lists that are held out, and the tests on them."""
