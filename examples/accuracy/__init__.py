"""Parts of the accuracy study that ``examples/ranking_accuracy.py`` runs."""
