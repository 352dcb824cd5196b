"""Arrays in, arrays out: no files, no printing, no scikit-learn."""
